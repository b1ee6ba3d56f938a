"""Remember which code has proven parity: answers are kept by a hash of everything that could change them."""

import hashlib
import os
import re
import stat
import zipfile
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

import numpy as np

from bench import answer, parity, records, registry
from bench.errors import ParityError

FOLDER = os.path.join(registry.ROOT, "results", "parity")
SHARED = ("answer.py", "problem.py")  # what every answer depends on beside the workload, model and adapter
ANSWER_BYTES = 1 << 26  # unpacked; the largest published has 2 MB
SHAPES = {"loss": 1, "gradients": 3, "losses": 1, "weights": 2, "outputs": None}  # dimensions; of outputs any number
NAMES = {"gradients": "gradient_names", "weights": "weight_names"}  # one for each tensor


class Subject(NamedTuple):
    """What is proven: one workload, trained with one optimizer or in inference, in one mode of one environment."""

    workload: str
    optimizer: str  # "none" for inference
    environment: str
    mode: str

    @property
    def task(self) -> str:
        """What the answering program does: train or infer."""
        return "infer" if self.optimizer == "none" else "train"

    @property
    def file(self) -> str:
        """The answer's place below results/parity."""
        return os.path.join(self.environment, "%s.%s.%s.npz" % (self.workload, self.optimizer, self.mode))

    @property
    def first(self) -> "Subject":
        """The subject whose answer holds what no optimizer changes: gradients, and losses before training."""
        if self.task == "infer":
            return self
        return self._replace(optimizer=registry.optimizers(self.workload)[0])


def _digest(*parts: bytes) -> str:
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part).digest())
    return total.hexdigest()[:16]


def _content(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def code_hash(path: str) -> str:
    """Return the first 16 hexadecimal digits of a file's SHA-256."""
    return hashlib.sha256(_content(path)).hexdigest()[:16]


def _statement(workload: str) -> List[bytes]:
    """Return the file that states a workload, and before it those of the workloads it builds on."""
    return [part for base in builds_on(workload) for part in _statement(base)] + [_stated(workload)]


def _stated(workload: str) -> bytes:
    return _content(os.path.join(registry.WORKLOADS, workload + ".py"))


def builds_on(workload: str) -> List[str]:
    """Return the workloads that the file which states a workload imports from, as often as it does."""
    return re.findall(r"^from bench\.workloads\.(\w+) import", _stated(workload).decode("utf-8"), re.MULTILINE)


def problem_hash(workload: str) -> str:
    """Return the hash of the question: answers with different ones cannot be compared."""
    shared = [_content(os.path.join(registry.HERE, name)) for name in SHARED]
    return _digest(*_statement(workload), *shared)


def versions(loaded: Dict[str, Optional[str]]) -> List[Tuple[str, str]]:
    """Return the versions that a framework loaded of itself, sorted by name: what the device adds is left out."""
    return sorted((k, v) for k, v in loaded.items() if v and k not in ("cuda", "cudnn", "device_name"))


def proof_hash(workload: str, environment: registry.Environment, loaded: Dict[str, Optional[str]]) -> str:
    """Return the hash of question, model file, adapter and the framework's loaded versions (device facts left out)."""
    adapters = sorted(
        entry
        for entry in os.listdir(environment.folder)
        if entry.endswith(".py") and entry[:-3] not in registry.workload_names() and entry != registry.CONTROLS
    )
    files = [registry.model_path(environment, workload)] + [os.path.join(environment.folder, name) for name in adapters]
    return _digest(
        problem_hash(workload).encode(), repr(versions(loaded)).encode(), *[_content(path) for path in files]
    )


def sound_answer(path: str) -> Dict[str, Any]:
    """Return a kept answer, whoever gave it; raises ParityError for a file that is none.

    It may be anybody's: a link, a few bytes that unpack to gigabytes, or arrays of another kind or shape than compared.
    """
    problem, given = None, {}
    try:
        if not stat.S_ISREG(os.lstat(path).st_mode):
            problem = "expected a file, got a link or something else"
        elif _unpacked_bytes(path) > ANSWER_BYTES:
            problem = "expected at most %d bytes unpacked, got %d" % (ANSWER_BYTES, _unpacked_bytes(path))
        else:
            given = answer.read(path)
    except Exception as error:  # noqa: BLE001 - a file that is none makes NumPy and zipfile raise more than they state
        problem = "not a parity answer (%s)" % type(error).__name__
    if problem:
        raise ParityError(problem)
    _check_answer(given)
    return given


def _unpacked_bytes(path: str) -> int:
    with zipfile.ZipFile(path) as file:
        return sum(member.file_size for member in file.infolist())


def _check_answer(given: Dict[str, Any]) -> None:
    about = given["about"]
    if not isinstance(about, dict) or any(not isinstance(about.get(word), str) for word in ("problem", "proof")):
        raise ParityError("expected `about` to name problem and proof, got something else")
    held = {name for name in SHAPES if name in given}
    unknown = set(given) - held - {"about"} - {NAMES[name] for name in held if name in NAMES}
    if unknown or not held:
        raise ParityError("expected arrays of %s, got %s" % (", ".join(SHAPES), ascii(sorted(unknown))[:80] or "none"))
    for name in sorted(held):
        array, dimensions = given[name], SHAPES[name]
        if array.dtype.kind != "f" or not array.size or array.ndim != (dimensions or max(1, array.ndim)):
            raise ParityError("expected numbers of %s dimensions in %s, got %s of shape %s" % (
                dimensions or "some", name, array.dtype, array.shape))  # fmt: skip
        if name in NAMES:
            names = given.get(NAMES[name], np.zeros(0))
            if names.dtype.kind != "U" or names.shape != array.shape[-2:-1]:
                raise ParityError("expected a name for each tensor of %s" % name)


def _kept(path: str) -> Dict[str, Any]:
    """Return a kept answer; one that is none is as good as missing, has no hash that fits, and is given again."""
    try:
        return sound_answer(path)
    except ParityError:
        return {"about": {}}


def answers(workload: str, optimizer: str, folder: str = FOLDER) -> Dict[Subject, Dict[str, Any]]:
    """Return every kept answer to the question as it stands now; what has no name of an environment or mode is none.

    An answer with another than the first optimizer takes the losses before training from the first's.
    """
    found = {}
    problem = problem_hash(workload)
    for environment in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        below = os.path.join(folder, environment)
        if os.path.islink(below) or not os.path.isdir(below):
            continue
        for entry in sorted(os.listdir(below)):
            name, _, mode = entry[: -len(".npz")].rpartition(".")
            is_asked = entry.endswith(".npz") and name == "%s.%s" % (workload, optimizer)
            if not is_asked or records.name_problem(environment) or records.name_problem(mode):
                continue
            given = _kept(os.path.join(below, entry))
            if given["about"].get("problem") == problem:
                subject = Subject(workload, optimizer, environment, mode)
                found[subject] = dict(_before_training(subject, given["about"], folder), **given)
    return found


def _before_training(subject: Subject, about: Dict[str, Any], folder: str) -> Dict[str, Any]:
    """Return the losses before training that another optimizer's answer of the same code holds; nothing without."""
    if subject.first == subject:
        return {}
    first = _kept(os.path.join(folder, subject.first.file))
    return {"loss": first["loss"]} if "loss" in first and first["about"].get("proof") == about["proof"] else {}


def is_kept(subject: Subject, proof: str, folder: str = FOLDER) -> bool:
    """Say whether `subject` has an answer of exactly this code and these versions, whatever others think of it."""
    return bool(_kept(os.path.join(folder, subject.file))["about"].get("proof") == proof)


class Verdict(NamedTuple):
    """Whether a subject may be measured, and if not, why."""

    passes: bool
    reason: str


def judge(subject: Subject, proof: str, folder: str = FOLDER) -> Verdict:
    """Say whether `subject` has an answer for exactly this code (`proof`) that a majority agrees with.

    Only answers of other environments are asked, and its own counts. A majority, not all: one framework's bug must not
    silence the rest, and a bug of one's own agrees with nobody. With another optimizer than the first, the first's
    answer must pass as well: it alone holds the gradients.
    """
    verdicts = [_judge(each, proof, folder) for each in dict.fromkeys((subject.first, subject))]
    return next((verdict for verdict in verdicts if not verdict.passes), verdicts[-1])


def _judge(subject: Subject, proof: str, folder: str) -> Verdict:
    kept = answers(subject.workload, subject.optimizer, folder)
    own = kept.get(subject)
    if own is None or own["about"]["proof"] != proof:
        return Verdict(False, "no parity answer for this code and these versions: run `python -m bench parity`")
    others = [other for other in kept if other.environment != subject.environment]
    if not others:
        return Verdict(False, "no other environment has answered this question yet: there is nothing to agree with")
    rows = [_row(subject, own, other, kept[other]) for other in others]
    agree = [row for row in rows if row["passes"]]
    if 2 * (len(agree) + 1) > len(rows) + 1:
        return Verdict(True, "agrees with %d of %d" % (len(agree), len(rows)))
    return Verdict(False, "agrees with only %d of %d; %s" % (len(agree), len(rows), _first_failure(rows)))


def _first_failure(rows):
    row = next(row for row in rows if not row["passes"])
    return "against %s (%s): %s" % (row["environment_b"], row["mode_b"], row["reason"])


def _row(a: Subject, answer_a: Dict[str, Any], b: Subject, answer_b: Dict[str, Any]) -> Dict[str, Any]:
    comparison, reason = None, ""
    try:
        with np.errstate(all="ignore"):  # what is not finite counts as an infinite error
            comparison = parity.compare(answer_a, answer_b)
        reason = "" if comparison.passes else parity.explain(comparison)
    except ParityError as error:
        reason = str(error)
    except (KeyError, ValueError) as error:
        reason = "the two answers hold other arrays, or of other shapes (%s)" % type(error).__name__
    return {
        "workload": a.workload, "optimizer": a.optimizer,
        "environment_a": a.environment, "mode_a": a.mode, "environment_b": b.environment, "mode_b": b.mode,
        "proof_a": answer_a["about"]["proof"],
        "comparison": comparison, "passes": comparison is not None and comparison.passes, "reason": reason,
    }  # fmt: skip


def matrix(folder: str = FOLDER) -> List[Dict[str, Any]]:
    """Return a row for each ordered pair of answers (environment and mode) to each question."""
    rows = []
    for workload in registry.workload_names():
        for optimizer in registry.optimizers(workload):
            kept = answers(workload, optimizer, folder)
            rows.extend(_row(a, kept[a], b, kept[b]) for a in kept for b in kept if a != b)
    return rows
