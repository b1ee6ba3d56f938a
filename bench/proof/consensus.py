"""Judge an answer by those of other frameworks, and by the oracle if too few frameworks have answered.

A majority of other environments must agree. The answer must not be far from all of them without a stated reason.
"""

import ast
import functools
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

import numpy as np

from bench import answer, oracle, registry
from bench.proof import parity

SIDES = ("environment_a", "environment_b")  # of a comparison
LEAST_OTHERS = 3  # frameworks that have answered beside its own, before an answer can be called the odd one
BATCHES = 2  # of those that an answer is given on: a defect shows in each, and a large network takes seconds
# How far an answer may be, in times of what float32 does to the oracle itself, or to few layers (ROUNDING). Chosen from
# some 1,100 kept right answers of all 24 networks. Nearly all are within 5 times; the farthest are at 10 (JAX and Keras
# on PyTorch, in training Inception v3) and at 5 (cifar10_cnn without oneDNN).
TIMES = 15
ROUNDING = 5e-7


class Verdict(NamedTuple):
    """Whether a subject may be measured, and if not, why."""

    passes: bool
    reason: str


class Stated(NamedTuple):
    """What the statement makes of the first batches, and how far the same in float32 is from it."""

    outputs: np.ndarray
    losses: Optional[np.ndarray]
    rounding: float


def verdict(
    subject: Any, given: parity.Answer, rows: List[Dict[str, Any]], among: Sequence[Dict[str, Any]] = ()
) -> Verdict:
    """Say whether an answer agrees with most others, is near to them, and near to the oracle where they are few.

    `rows` are its comparisons with the answers of other environments, `among` those of these with each other.
    """
    if not rows:
        return Verdict(False, "no other environment has answered this question yet: there is nothing to agree with")
    agree = [row for row in rows if row["passes"]]
    if 2 * (len(agree) + 1) <= len(rows) + 1:
        return Verdict(False, "agrees with only %d of %d; %s" % (len(agree), len(rows), _first_failure(rows)))
    agreement = "agrees with %d of %d" % (len(agree), len(rows))
    framework = _frameworks([*rows, *among])
    own = framework[rows[0]["environment_a"]]
    if len({framework[row["environment_b"]] for row in rows} - {own}) < LEAST_OTHERS:  # none can be the odd one
        problem = problem_of(subject.workload, subject.task, subject.environment, given)
        return Verdict(not problem, "%s, but %s" % (agreement, problem) if problem else agreement)
    between = _between(among, framework, without=own)
    return _unless_far(subject, parity.times_as_far(_between(rows, framework), between), agreement)


def _frameworks(rows):
    """Return {environment: framework}: environments of one framework share its model files, and what is wrong there."""
    known = registry.environments()
    names = {row[side] for row in rows for side in SIDES}
    return {name: known[name].framework if name in known else name for name in names}


def _between(rows, framework, without=None):
    """Return the comparisons of two frameworks' answers, neither of them `without`."""
    pairs = [(row["comparison"], {framework[row[side]] for side in SIDES}) for row in rows]
    return [comparison for comparison, pair in pairs if comparison and len(pair) == 2 and without not in pair]


def _unless_far(subject, found, agreement):
    """Return the verdict on an answer that most agree with: it fails if it is far from all, for no stated reason."""
    reasons = differs(subject.workload, subject.environment)
    far = {kind: how for kind, how in found.items() if not how[0] <= parity.FAR[kind]}
    told = [_far(kind, *how, reason=reasons.get(kind)) for kind, how in far.items()]
    unexplained = [kind for kind in far if kind not in reasons]
    if unexplained:
        todo = "Unless it is a defect, state DIFFERS in the model file (bench/frameworks/README.md)."
        told.append("%s %s" % (parity.likely_cause(unexplained), todo))
    return Verdict(not unexplained, "; ".join([agreement] + told))


def _far(kind, times, where, reason):
    told = "its %s%s %.0f times as far from the nearest other framework's as those are from each other" % (
        kind, "" if kind == "outputs" else " at " + where, times)  # fmt: skip
    return "%s: %s" % (told, reason or "at most %d times is allowed" % parity.FAR[kind])


def differs(workload: str, environment: str) -> Dict[str, str]:
    """Return {kind: why it must be another here}: DIFFERS of the model file, read without importing its framework.

    A text is about outputs.
    """
    known = registry.environments()
    if environment not in known:
        return {}
    with open(registry.model_path(known[environment], workload), encoding="utf-8") as file:
        assigned = [node for node in ast.parse(file.read()).body if isinstance(node, ast.Assign)]
    stated = [node.value for node in assigned if getattr(node.targets[0], "id", "") == "DIFFERS"]
    reasons = ast.literal_eval(stated[-1]) if stated else {}
    return {str(kind): str(why) for kind, why in reasons.items()} if isinstance(reasons, dict) else {"outputs": reasons}


def _first_failure(rows):
    """Say why a comparison failed: with a framework of today, if one disagrees, in the first of its modes that does."""
    known = registry.environments()
    failed = [row for row in rows if not row["passes"]]
    row = min(failed, key=lambda row: not getattr(known.get(row["environment_b"]), "is_default", False))
    return "against %s (%s): %s" % (row["environment_b"], row["mode_b"], row["reason"])


@functools.lru_cache(maxsize=None)
def stated(workload: str, task: str) -> Optional[Stated]:
    """Return what an answer's outputs must be near to; None where there is no oracle."""
    if not oracle.is_known(workload):
        return None
    problem, random = registry.workload(workload), np.random.RandomState(1)
    weights = problem.weights(np.random.RandomState(0))
    batches = [registry.parity_batch(problem, random) for _ in range(BATCHES)]
    exact, rounded = ([oracle.outputs(workload, weights, x, task == "train", dtype) for x, _ in batches]
                      for dtype in ("float64", "float32"))  # fmt: skip
    losses = [oracle.loss_of(workload, given, y) for given, (_, y) in zip(exact, batches)] if problem.LOSS else None
    kept = [_as_kept(each, problem) for each in (exact, rounded)]
    return Stated(kept[0], losses and np.array(losses), farthest(kept[1], kept[0]))


def _as_kept(outputs, problem):
    compared = np.stack([answer.comparable(each, problem) for each in outputs])
    return answer.thinned({"outputs": compared})["outputs"]


def farthest(given: np.ndarray, right: np.ndarray) -> float:
    """Return the largest error of some batches, each relative to its largest number; what is not finite is infinite."""
    if given.shape != right.shape or not np.isfinite(given).all():
        return float("inf")
    axes = tuple(range(1, right.ndim))
    return float((np.abs(given - right).max(axes) / np.abs(right).max(axes)).max())


def errors(workload: str, task: str, given: parity.Answer) -> Optional[Dict[str, float]]:
    """Return {kind: how many times what rounding explains} of an answer's outputs and loss; None without an oracle."""
    right = stated(workload, task)
    if right is None or "outputs" not in given:
        return None
    found = {"outputs": farthest(given["outputs"][:BATCHES], right.outputs)}
    if task == "train" and "loss" in given and right.losses is not None:
        found["loss"] = farthest(given["loss"][:BATCHES], right.losses)
    return {kind: error / max(right.rounding, ROUNDING) for kind, error in found.items()}


def problem_of(workload: str, task: str, environment: str, given: parity.Answer) -> str:
    """Say what is wrong with an answer, held against the oracle; nothing where all is right, or nothing can be told."""
    far = {kind: times for kind, times in (errors(workload, task, given) or {}).items() if not times <= TIMES}
    if not far or differs(workload, environment).get("outputs"):
        return ""
    told = " and ".join("%s %.0f times" % item for item in sorted(far.items()))
    return (
        "its %s as far from what the statement says in NumPy (bench/oracle/%s.py) as float32 rounding explains, and at "
        "most %d is allowed. Likely causes: an activation's approximation, a norm's epsilon, another form of a layer. "
        "Unless it is a defect, state DIFFERS in the model file" % (told, workload, TIMES)
    )
