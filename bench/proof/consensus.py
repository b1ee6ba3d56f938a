"""Judge an answer by those of other frameworks, and by the oracle if too few frameworks have answered.

A majority of other environments must agree. The answer must not be far from all of them without a stated reason.
"""

import functools
from typing import Any, Dict, NamedTuple, Optional, Sequence

import numpy as np

from bench import answer, oracle, registry
from bench.proof import parity

LEAST_OTHERS = 3  # other frameworks that must have answered before an answer can be the odd one
BATCHES = 2  # of an answer's: a defect shows in each batch, and a large network takes seconds
# The largest distance from the oracle, in times of float32's effect on the oracle itself, or on few layers (ROUNDING).
# Chosen from some 1,100 right answers of all 24 networks. Nearly all are within 5 times; the farthest are at 10 (JAX
# and Keras on PyTorch, in training Inception v3) and at 5 (cifar10_cnn without oneDNN).
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
    subject: Any, given: parity.Answer, pairs: Sequence[parity.Pair], among: Sequence[parity.Pair] = ()
) -> Verdict:
    """Say whether an answer agrees with most others and is near to them, or to the oracle where they are few.

    `pairs` are its comparisons with the answers of other environments, `among` those of these with each other.
    """
    if not pairs:
        return Verdict(False, "no other environment has answered this question yet: there is nothing to agree with")
    agree = sum(pair.passes for pair in pairs)
    if 2 * (agree + 1) <= len(pairs) + 1:
        return Verdict(False, "agrees with only %d of %d; %s" % (agree, len(pairs), _first_failure(pairs)))
    agreement = "agrees with %d of %d" % (agree, len(pairs))
    framework = _frameworks([*pairs, *among])
    own = framework[pairs[0].environment_a]
    if len({framework[pair.environment_b] for pair in pairs} - {own}) < LEAST_OTHERS:
        problem = problem_of(subject.workload, subject.task, subject.environment, given)
        return Verdict(not problem, "%s, but %s" % (agreement, problem) if problem else agreement)
    times = parity.times_as_far(_between(pairs, framework), _between(among, framework, without=own))
    far = {kind: how for kind, how in times.items() if not how[0] <= parity.FAR[kind]}
    reasons = differs(subject.workload, subject.environment)
    texts = [agreement] + [_far(kind, *how, reason=reasons.get(kind)) for kind, how in far.items()]
    unexplained = [kind for kind in far if kind not in reasons]
    if unexplained:
        advice = "Unless it is a defect, state DIFFERS in the model file (bench/frameworks/README.md)."
        texts.append("%s %s" % (parity.likely_cause(unexplained), advice))
    return Verdict(not unexplained, "; ".join(texts))


def _frameworks(pairs):
    """Return {environment: framework}: environments of one framework share its model files and their faults."""
    known = registry.environments()
    names = {name for pair in pairs for name in (pair.environment_a, pair.environment_b)}
    return {name: known[name].framework if name in known else name for name in names}


def _between(pairs, framework, without=None):
    """Return the comparisons of answers of two frameworks, neither of them `without`."""
    of_frameworks = [(pair.comparison, framework[pair.environment_a], framework[pair.environment_b]) for pair in pairs]
    return [comparison for comparison, a, b in of_frameworks if comparison and a != b and without not in (a, b)]


def _far(kind, times, where, reason):
    return "its %s%s %.0f times as far from the nearest other framework's as those are from each other: %s" % (
        kind, "" if kind == "outputs" else " at " + where, times,
        reason or "at most %d times is allowed" % parity.FAR[kind])  # fmt: skip


def differs(workload: str, environment: str) -> Dict[str, str]:
    """Return {kind: reason why it must differ here}: DIFFERS of the model file, read without importing its framework.

    If DIFFERS is a text, it is about outputs.
    """
    known = registry.environments()
    if environment not in known:
        return {}
    reasons = registry.constant(registry.model_path(known[environment], workload), "DIFFERS", {})
    return {str(kind): str(why) for kind, why in reasons.items()} if isinstance(reasons, dict) else {"outputs": reasons}


def _first_failure(pairs):
    """Say why a comparison failed: the first with a current framework, if there is one."""
    known = registry.environments()
    failed = [pair for pair in pairs if not pair.passes]
    first = min(failed, key=lambda pair: not getattr(known.get(pair.environment_b), "is_default", False))
    return "against %s (%s): %s" % (first.environment_b, first.mode_b, first.reason)


@functools.lru_cache(maxsize=None)
def stated(workload: str, task: str) -> Optional[Stated]:
    """Return what the statement makes of the first batches; None if there is no oracle."""
    if not oracle.is_known(workload):
        return None
    problem, random = registry.workload(workload), np.random.RandomState(1)
    weights = problem.weights(np.random.RandomState(0))
    batches = [registry.parity_batch(problem, random) for _ in range(BATCHES)]
    exact, rounded = ([oracle.outputs(workload, weights, x, task == "train", dtype) for x, _ in batches]
                      for dtype in ("float64", "float32"))  # fmt: skip
    losses = [oracle.loss_of(workload, given, y) for given, (_, y) in zip(exact, batches)] if problem.LOSS else None
    right, in_float32 = (
        answer.thinned({"outputs": np.stack([answer.comparable(batch, problem) for batch in outputs])})["outputs"]
        for outputs in (exact, rounded)
    )
    return Stated(right, losses and np.array(losses), farthest(in_float32, right))


def farthest(given: np.ndarray, right: np.ndarray) -> float:
    """Return the largest error of some batches, each relative to its largest number; what is not finite is infinite."""
    if given.shape != right.shape or not np.isfinite(given).all():
        return float("inf")
    axes = tuple(range(1, right.ndim))
    return float((np.abs(given - right).max(axes) / np.abs(right).max(axes)).max())


def errors(workload: str, task: str, given: parity.Answer) -> Optional[Dict[str, float]]:
    """Return {kind: error, in times of rounding} of an answer's outputs and loss; None without an oracle."""
    right = stated(workload, task)
    if right is None or "outputs" not in given:
        return None
    found = {"outputs": farthest(given["outputs"][:BATCHES], right.outputs)}
    if task == "train" and "loss" in given and right.losses is not None:
        found["loss"] = farthest(given["loss"][:BATCHES], right.losses)
    return {kind: error / max(right.rounding, ROUNDING) for kind, error in found.items()}


def problem_of(workload: str, task: str, environment: str, given: parity.Answer) -> str:
    """Say what is wrong with an answer compared with the oracle; an empty text if nothing is, or without an oracle."""
    far = {kind: times for kind, times in (errors(workload, task, given) or {}).items() if not times <= TIMES}
    if not far or differs(workload, environment).get("outputs"):
        return ""
    return (
        "its %s as far from what the statement says in NumPy (bench/oracle/%s.py) as float32 rounding explains, and at "
        "most %d is allowed. Likely causes: an activation's approximation, a norm's epsilon, another form of a layer. "
        "Unless it is a defect, state DIFFERS in the model file"
        % (" and ".join("%s %.0f times" % item for item in sorted(far.items())), workload, TIMES)
    )
