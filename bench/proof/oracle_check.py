"""Hold an answer against the statement itself, where too few frameworks have answered to tell which one is odd."""

import functools
from typing import Any, Dict, List, NamedTuple, Optional

import numpy as np

from bench import answer, oracle, registry
from bench.proof.majority import LEAST_OTHERS, SIDES, Verdict, differs

BATCHES = 2  # of those that an answer is given on: a defect shows in each, and a large network takes seconds
# How far an answer may be, in times of what float32 does to the oracle itself, or to few layers (ROUNDING). Chosen from
# some 1,100 kept right answers of all 24 networks. Nearly all are within 5 times; the farthest are at 10 (JAX and Keras
# on PyTorch, in training Inception v3) and at 5 (cifar10_cnn without oneDNN).
TIMES = 15
ROUNDING = 5e-7


class Stated(NamedTuple):
    """What the statement makes of the first batches, and how far the same in float32 is from it."""

    outputs: np.ndarray
    losses: Optional[np.ndarray]
    rounding: float


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


def errors(workload: str, task: str, given: Dict[str, Any]) -> Optional[Dict[str, float]]:
    """Return {kind: how many times what rounding explains} of an answer's outputs and loss; None without an oracle."""
    right = stated(workload, task)
    if right is None or "outputs" not in given:
        return None
    found = {"outputs": farthest(given["outputs"][:BATCHES], right.outputs)}
    if task == "train" and "loss" in given and right.losses is not None:
        found["loss"] = farthest(given["loss"][:BATCHES], right.losses)
    return {kind: error / max(right.rounding, ROUNDING) for kind, error in found.items()}


def problem_of(workload: str, task: str, environment: str, given: Dict[str, Any]) -> str:
    """Say what is wrong with an answer, held against the oracle; nothing where all is right, or nothing can be told."""
    far = {kind: times for kind, times in (errors(workload, task, given) or {}).items() if not times <= TIMES}
    if not far or _excused(workload, environment):
        return ""
    told = " and ".join("%s %.0f times" % item for item in sorted(far.items()))
    return (
        "its %s as far from what the statement says in NumPy (bench/oracle/%s.py) as float32 rounding explains, and at "
        "most %d is allowed. Likely causes: an activation's approximation, a norm's epsilon, another form of a layer. "
        "Unless it is a defect, state DIFFERS in the model file" % (told, workload, TIMES)
    )


def _excused(workload, environment):
    reasons = differs(workload, environment)
    return bool(reasons.get("outputs") if isinstance(reasons, dict) else reasons)


def unless_far(found: Verdict, subject: Any, given: Dict[str, Any], rows: List[Dict[str, Any]]) -> Verdict:
    """Return the verdict on an answer that most agree with: where they are few, the oracle must agree as well.

    `rows` are its comparisons with the answers of other environments.
    """
    if not found.passes or len(_others(rows)) >= LEAST_OTHERS:
        return found
    problem = problem_of(subject.workload, subject.task, subject.environment, given)
    return Verdict(False, "%s, but %s" % (found.reason, problem)) if problem else found


def _others(rows):
    """Return the frameworks whose answers an answer was compared with, but its own."""
    known = registry.environments()
    own, *_ = framework = [known[name].framework if name in known else name
                           for name in [rows[0]["environment_a"]] + [row[SIDES[1]] for row in rows]]  # fmt: skip
    return set(framework) - {own}
