"""Remember which code has proven parity: answers are kept by a hash of everything that could change them."""

import functools
import itertools
import os
from typing import Container, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from bench import ablations, files, registry
from bench.cases import Case
from bench.errors import ParityError
from bench.proof import kept_files, parity
from bench.proof.consensus import LEAST_OTHERS, Verdict, verdict
from bench.proof.kept_files import sound_answer
from bench.proof.migration import same
from bench.proof.parity import Answer, Pair
from bench.proof.proof_hashes import builds_on, code_hash, of_mode, problem_hash, proof_hash, timing_hash, versions

__all__ = [  # of the modules below, for other files
    "LEAST_OTHERS", "Pair", "Verdict", "builds_on", "code_hash", "of_mode", "problem_hash", "proof_hash", "same",
    "sound_answer", "timing_hash", "versions",
]  # fmt: skip
FOLDER = os.path.join(registry.ROOT, "results", "parity")


class Subject(NamedTuple):
    """What is proven: one workload, trained with an optimizer or in inference, in a mode of an environment."""

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
        """The path of the answer below results/parity."""
        return os.path.join(self.environment, "%s.%s.%s.npz" % (self.workload, self.optimizer, self.mode))

    @property
    def first(self) -> "Subject":
        """The subject whose answer holds what is the same for all optimizers: gradients, and losses before training."""
        if self.task == "infer":
            return self
        return self._replace(optimizer=registry.optimizers(self.workload)[0])


class DeviceQuestion(NamedTuple):
    """What is answered once more on a device, in a precision."""

    subject: Subject
    device: str
    precision: str


def subject_of(case: Case) -> Subject:
    """Return the subject that must have proven parity before a case is measured."""
    return Subject(case.workload, case.optimizer, case.environment, ablations.unfed(case.mode))


def questions(cases: Iterable[Case]) -> List[DeviceQuestion]:
    """Return what must be answered before these cases are measured, without duplicates; nothing for fp32 on the CPU.

    In another precision only outputs are compared, which no optimizer changes. Those of fp32 on the same device come
    first, as their reference.
    """
    found: List[DeviceQuestion] = []
    for case in cases:
        subject = subject_of(case)
        if case.device != "cpu":
            found += [DeviceQuestion(asked, case.device, parity.FULL) for asked in (subject.first, subject)]
        if case.precision != parity.FULL:
            found.append(DeviceQuestion(subject.first, case.device, case.precision))
    return list(dict.fromkeys(found))


def _read(subject: Subject, folder: str) -> Answer:
    """Return a kept answer; one that is missing or not sound has no hash that fits."""
    try:
        return sound_answer(os.path.join(folder, subject.file))
    except ParityError:
        return {"about": {}}


def subjects(folder: str) -> Iterator[Subject]:
    """Yield the subjects of the files below `folder`, except files without the name of an environment or mode."""
    for environment in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        below = os.path.join(folder, environment)
        if os.path.islink(below) or not os.path.isdir(below) or files.name_problem(environment):
            continue
        for entry in sorted(os.listdir(below)):
            parts = entry.split(".")
            if len(parts) == 4 and parts[3] == "npz" and not files.name_problem(parts[2]):
                yield Subject(parts[0], parts[1], environment, parts[2])


def answers(workload: str, optimizer: str, folder: str = FOLDER) -> Dict[Subject, Answer]:
    """Return the kept answers to the current version of a question.

    An answer with another than the first optimizer takes the losses before training from the first's.
    """
    found, problem = {}, problem_hash(workload)
    for subject in subjects(folder):
        given = _read(subject, folder) if (subject.workload, subject.optimizer) == (workload, optimizer) else None
        if given and same(given["about"].get("problem"), problem):
            first = _read(subject.first, folder) if subject.first != subject else {}
            if "loss" in first and same(first["about"].get("proof"), given["about"]["proof"]):
                given = {"loss": first["loss"], **given}
            found[subject] = {**_start(given, workload, problem), **given}
    return found


def _start(given: Answer, workload: str, problem: str) -> Answer:
    """Return the sketches of an answer's initial weights, in its order; nothing if it names other weights."""
    names = given["weight_names"].tolist() if "weight_names" in given else []
    sketches = kept_files.starts(workload, problem) if names else {}
    return {"start": np.stack([sketches[name] for name in names])} if names and sketches.keys() >= set(names) else {}


def write_starts() -> None:
    """Write the sketches of initial weights of all large networks anew."""
    large = filter(registry.is_large, registry.workload_names())
    kept_files.write_starts({workload: problem_hash(workload) for workload in large})


def stale(
    proofs: Dict[Tuple[str, str], str],
    environments: Dict[str, registry.Environment],
    workloads: Container[str],
    folder: str = FOLDER,
) -> List[Subject]:
    """Return the kept answers to `workloads` that the present code did not give: they prove nothing.

    `proofs` are hashes of the present code by environment and workload. Those of an environment that is missing there
    are computed with the versions that its kept answers name.
    """
    hashes, found = dict(proofs), []
    for subject in _plain(subjects(folder)):
        key = subject.environment, subject.workload
        row = environments.get(subject.environment)
        is_asked = row and subject.workload in workloads and registry.has_workload(subject.workload)
        if row and is_asked and key not in hashes and registry.answers(row, subject.workload):
            hashes[key] = proof_hash(subject.workload, row, _read(subject, folder)["about"].get("loaded", {}))
        if key in hashes and not is_kept(subject, hashes[key], folder):
            found.append(subject)
    return found


def _plain(subjects: Iterable[Subject]) -> List[Subject]:
    """Return the subjects without an ablation: what it makes of one framework proves nothing about others."""
    return [subject for subject in subjects if not ablations.split(subject.mode)[1]]


def about(subject: Subject, environment: registry.Environment, loaded: Dict[str, Optional[str]]) -> Dict[str, str]:
    """Return what an answer of the present code is about: the hashes of its question and of its proof."""
    proof = of_mode(proof_hash(subject.workload, environment, loaded), environment, subject.mode)
    return {"problem": problem_hash(subject.workload), "proof": proof}


def is_kept(subject: Subject, proof: str, folder: str = FOLDER) -> bool:
    """Say whether `subject` has an answer of exactly this code and these versions, right or wrong."""
    return same(_read(subject, folder)["about"].get("proof"), proof)


class Kept:
    """The answers in a folder that does not change: each question is read once, and each pair compared once."""

    def __init__(self, folder: str = FOLDER) -> None:
        self.answers = functools.lru_cache(maxsize=None)(functools.partial(answers, folder=folder))
        self.pair = functools.lru_cache(maxsize=None)(self._pair)

    def _pair(self, a: Subject, b: Subject) -> Pair:
        given = self.answers(a.workload, a.optimizer)
        return _pair(a, given[a], b, given[b])


def judge(
    subject: Subject, proof: str, folder: str = FOLDER, without: Container[Subject] = (), kept: Optional[Kept] = None
) -> Verdict:
    """Say whether `subject` has an answer of exactly this code (`proof`) that a majority agrees with.

    Only answers of other environments are compared, except those in `without`. With another optimizer than the first,
    the first's answer must pass as well, because it alone holds the gradients. The answer of an ablation that changes
    what is computed must differ from that of the mode without it. `kept` are the answers of `folder`, if read already.
    """
    kept = kept or Kept(folder)
    verdicts = [_judge(part, proof, kept, without) for part in dict.fromkeys((subject.first, subject))]
    return next((verdict for verdict in verdicts if not verdict.passes), verdicts[-1])


def _judge(subject: Subject, proof: str, kept: Kept, without: Container[Subject]) -> Verdict:
    given = kept.answers(subject.workload, subject.optimizer)
    if subject not in given or not same(given[subject]["about"]["proof"], proof):
        return Verdict(False, "no parity answer for this code and these versions: run `python -m bench parity`")
    if not ablations.is_same(subject.mode):
        return _differs_from(subject._replace(mode=ablations.split(subject.mode)[0]), subject, kept)
    others = [other for other in _plain(given) if other.environment != subject.environment and other not in without]
    one_of_each = {other.environment: other for other in others}.values()
    among = [kept.pair(a, b) for a, b in itertools.combinations(one_of_each, 2)]
    return verdict(subject, given[subject], [kept.pair(subject, other) for other in others], among)


def _differs_from(base: Subject, subject: Subject, kept: Kept) -> Verdict:
    """Say whether an answer differs from that of the mode which its ablation changes."""
    given = kept.answers(base.workload, base.optimizer)
    if base not in given:
        return Verdict(False, "%s has no answer to compare with" % base.mode)
    if _trained(given[subject]) != _trained(given[base]):
        return Verdict(True, "trains other weights than %s, as it should" % base.mode)
    pair = kept.pair(subject, base)
    if pair.comparison is None:
        return Verdict(False, pair.reason)
    if pair.passes:
        return Verdict(False, "computes what %s does, and its ablation says that it does not" % base.mode)
    return Verdict(True, "differs from %s, as it should" % base.mode)


def _trained(answer: Answer) -> Set[str]:
    """Return the names of the weights that have a gradient."""
    return set(answer["gradient_names"].tolist()) if "gradient_names" in answer else set()


def _pair(a: Subject, answer_a: Answer, b: Subject, answer_b: Answer) -> Pair:
    comparison, reason = None, ""
    try:
        with np.errstate(all="ignore"):  # a number that is not finite counts as an infinite error
            comparison = parity.compare(answer_a, answer_b)
        reason = "" if comparison.passes else parity.explain(comparison)
    except ParityError as error:
        reason = str(error)
    except (KeyError, ValueError) as error:
        reason = "the two answers hold other arrays, or of other shapes (%s)" % type(error).__name__
    return Pair(a.workload, a.optimizer, *a[2:], *b[2:], answer_a["about"]["proof"], comparison, reason)


def matrix(
    folder: str = FOLDER,
    workloads: Sequence[str] = (),
    environments: Sequence[str] = (),
    without: Container[Subject] = (),
) -> List[Pair]:
    """Return the comparison of each ordered pair of answers (environment and mode) to each question, except `without`.

    If `workloads` or `environments` are named, only for these workloads, and pairs with one of these environments.
    """
    pairs = []
    for workload in workloads or registry.workload_names():
        for optimizer in registry.optimizers(workload):
            given = answers(workload, optimizer, folder)
            for a, b in itertools.permutations(_plain(given), 2):
                is_asked = not environments or {a.environment, b.environment} & set(environments)
                if is_asked and a not in without and b not in without:
                    pair = _pair(a, given[a], b, given[b])
                    comparison = pair.comparison and pair.comparison._replace(ways=None)  # large; only to judge
                    pairs.append(pair._replace(comparison=comparison))
    return pairs
