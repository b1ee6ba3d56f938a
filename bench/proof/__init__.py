"""Remember which code has proven parity: answers are kept by a hash of everything that could change them."""

import functools
import itertools
import os
from typing import Any, Container, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

import numpy as np

from bench import ablations, files, registry
from bench.cases import Case
from bench.errors import ParityError
from bench.proof import kept_files, parity
from bench.proof.consensus import LEAST_OTHERS, Verdict, verdict
from bench.proof.kept_files import sound_answer
from bench.proof.migration import same
from bench.proof.proof_hashes import (
    builds_on,
    code_hash,
    of_mode,
    problem_hash,
    proof_hash,
    timing_hash,
    versions,
)

__all__ = [  # what other files use of the modules below, beside this file's own
    "LEAST_OTHERS", "Verdict", "builds_on", "code_hash", "of_mode", "problem_hash", "proof_hash", "same",
    "sound_answer", "timing_hash", "versions",
]  # fmt: skip
FOLDER = os.path.join(registry.ROOT, "results", "parity")


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


def subject_of(case: Case) -> Subject:
    """Return what must have proven parity for a case to be measured."""
    mode = ablations.unfed(case.mode)  # a loader leaves the program as it is
    return Subject(case.workload, case.optimizer, case.environment, mode)


def _kept(subject: Subject, folder: str) -> Dict[str, Any]:
    """Return a kept answer; one that is none is as good as missing, has no hash that fits, and is given again."""
    try:
        return sound_answer(os.path.join(folder, subject.file))
    except ParityError:
        return {"about": {}}


def subjects(folder: str) -> Iterator[Subject]:
    """Yield what the files below `folder` answer; what has no name of an environment or mode answers nothing."""
    for environment in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        below = os.path.join(folder, environment)
        if os.path.islink(below) or not os.path.isdir(below) or files.name_problem(environment):
            continue
        for entry in sorted(os.listdir(below)):
            parts = entry.split(".")
            if len(parts) == 4 and parts[3] == "npz" and not files.name_problem(parts[2]):
                yield Subject(parts[0], parts[1], environment, parts[2])


def answers(workload: str, optimizer: str, folder: str = FOLDER) -> Dict[Subject, Dict[str, Any]]:
    """Return every kept answer to the question as it stands now.

    An answer with another than the first optimizer takes the losses before training from the first's.
    """
    found, problem = {}, problem_hash(workload)
    for subject in subjects(folder):
        if (subject.workload, subject.optimizer) != (workload, optimizer):
            continue
        given = _kept(subject, folder)
        if same(given["about"].get("problem"), problem):
            before = _before_training(subject, given["about"], folder)
            found[subject] = {**before, **_start(given, workload, problem), **given}
    return found


def _start(given: Dict[str, Any], workload: str, problem: str) -> Dict[str, Any]:
    """Return the sketches of the weights that an answer started from, in its order; nothing where it names others."""
    names = given["weight_names"].tolist() if "weight_names" in given else []
    known = kept_files.starts(workload, problem) if names else {}
    return {"start": np.stack([known[name] for name in names])} if names and set(names) <= set(known) else {}


def write_starts() -> None:
    """Write the sketches of initial weights of all large networks anew."""
    large = filter(registry.is_large, registry.workload_names())
    kept_files.write_starts({workload: problem_hash(workload) for workload in large})


def stale(proofs: Dict[Tuple[str, str], str], folder: str = FOLDER) -> List[Subject]:
    """Return the kept answers of other code than stands here, of which `proofs` has a hash by environment and workload.

    They prove nothing: neither of the code that they are of, which is no more, nor of that in its place.
    """
    known = (each for each in _plain(subjects(folder)) if (each.environment, each.workload) in proofs)
    return [each for each in known if not is_kept(each, proofs[each.environment, each.workload], folder)]


def _plain(subjects: Iterable[Subject]) -> List[Subject]:
    """Return those of which no ablation changes a thing: what it makes of one framework proves nothing of others."""
    return [each for each in subjects if not ablations.split(each.mode)[1]]


def as_told(
    environments: Dict[str, registry.Environment], workloads: Container[str], folder: str = FOLDER
) -> Dict[Tuple[str, str], str]:
    """Return the hash that this code has with the versions that kept answers name, by environment and workload.

    So an answer of an environment that is not at hand tells, too, whether it is of the code that stands here.
    """
    found: Dict[Tuple[str, str], str] = {}
    for subject in subjects(folder):
        key = subject.environment, subject.workload
        row = environments.get(subject.environment)
        if key in found or row is None or subject.workload not in workloads:
            continue
        if registry.has_workload(subject.workload) and registry.answers(row, subject.workload):
            loaded = _kept(subject, folder)["about"].get("loaded", {})
            found[key] = proof_hash(subject.workload, row, loaded)
    return found


def about(subject: Subject, environment: registry.Environment, loaded: Dict[str, Optional[str]]) -> Dict[str, str]:
    """Return what an answer that this code gives is about: the hashes of its question and of its proof."""
    own = of_mode(proof_hash(subject.workload, environment, loaded), environment, subject.mode)
    return {"problem": problem_hash(subject.workload), "proof": own}


def _before_training(subject: Subject, own: Dict[str, Any], folder: str) -> Dict[str, Any]:
    """Return the losses before training that another optimizer's answer of the same code holds; nothing without."""
    if subject.first == subject:
        return {}
    first = _kept(subject.first, folder)
    return {"loss": first["loss"]} if "loss" in first and same(first["about"].get("proof"), own["proof"]) else {}


def is_kept(subject: Subject, proof: str, folder: str = FOLDER) -> bool:
    """Say whether `subject` has an answer of exactly this code and these versions, whatever others think of it."""
    return same(_kept(subject, folder)["about"].get("proof"), proof)


class Kept:
    """The answers in a folder, while none is given anew: each question is read once, and each pair compared once."""

    def __init__(self, folder: str = FOLDER) -> None:
        self.answers = functools.lru_cache(maxsize=None)(functools.partial(answers, folder=folder))
        self.row = functools.lru_cache(maxsize=None)(self._row)

    def _row(self, a: Subject, b: Subject) -> Dict[str, Any]:
        given = self.answers(a.workload, a.optimizer)
        return _row(a, given[a], b, given[b])


def judge(
    subject: Subject, proof: str, folder: str = FOLDER, without: Container[Subject] = (), kept: Optional[Kept] = None
) -> Verdict:
    """Say whether `subject` has an answer for exactly this code (`proof`) that a majority agrees with.

    Only answers of other environments are asked, and its own counts. A majority, not all: one framework's bug must not
    silence the rest, and a bug of one's own agrees with nobody. With another optimizer than the first, the first's
    answer must pass as well: it alone holds the gradients. Answers that are to be judged `without` are not asked.
    Where an ablation changes what is computed, its answer must differ from that of the mode as it was. Who judges many
    hands in those that are `kept` instead of their folder.
    """
    kept = kept or Kept(folder)
    verdicts = [_judge(each, proof, kept, without) for each in dict.fromkeys((subject.first, subject))]
    return next((verdict for verdict in verdicts if not verdict.passes), verdicts[-1])


def _judge(subject: Subject, proof: str, kept: Kept, without: Container[Subject]) -> Verdict:
    given = kept.answers(subject.workload, subject.optimizer)
    own = given.get(subject)
    if own is None or not same(own["about"]["proof"], proof):
        return Verdict(False, "no parity answer for this code and these versions: run `python -m bench parity`")
    if not ablations.is_same(subject.mode):
        return _differs_from(subject._replace(mode=ablations.split(subject.mode)[0]), subject, kept)
    others = [each for each in _plain(given) if each.environment != subject.environment and each not in without]
    one_of_each = {other.environment: other for other in others}.values()
    among = [kept.row(a, b) for a, b in itertools.combinations(one_of_each, 2)]
    rows = [kept.row(subject, other) for other in others]
    return verdict(subject, own, rows, among)


def _differs_from(base: Subject, subject: Subject, kept: Kept) -> Verdict:
    """Say whether an answer differs from that of the mode which it changes, as its ablation says."""
    given = kept.answers(base.workload, base.optimizer)
    if base not in given:
        return Verdict(False, "%s has no answer that it could be held against" % base.mode)
    if _trained(given[subject]) != _trained(given[base]):
        return Verdict(True, "trains other weights than %s, as it should" % base.mode)
    row = kept.row(subject, base)
    if row["comparison"] is None:
        return Verdict(False, row["reason"])
    same = "computes what %s does, and its ablation says that it does not" % base.mode
    return Verdict(not row["passes"], same if row["passes"] else "differs from %s, as it should" % base.mode)


def _trained(answer: Dict[str, Any]) -> Set[str]:
    """Return the names of the weights that have a gradient."""
    return set(answer["gradient_names"].tolist()) if "gradient_names" in answer else set()


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


def matrix(
    folder: str = FOLDER,
    workloads: Sequence[str] = (),
    environments: Sequence[str] = (),
    without: Container[Subject] = (),
) -> List[Dict[str, Any]]:
    """Return a row for each ordered pair of answers (environment and mode) to each question.

    Of `workloads` alone, and the pairs that hold one of `environments`, where they are named; `without` some answers.
    """
    rows = []
    for workload in workloads or registry.workload_names():
        for optimizer in registry.optimizers(workload):
            given = answers(workload, optimizer, folder)
            kept = {each: given[each] for each in _plain(given) if each not in without}
            pairs = [(a, b) for a, b in itertools.permutations(kept, 2)
                     if not environments or {a.environment, b.environment} & set(environments)]  # fmt: skip
            for row in (_row(a, kept[a], b, kept[b]) for a, b in pairs):
                comparison = row["comparison"] and row["comparison"]._replace(ways=None)  # only needed to judge, large
                rows.append(dict(row, comparison=comparison))
    return rows
