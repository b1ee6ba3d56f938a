"""Compare two answers to the same parity question: do two environments compute the same thing?

Errors are relative. Outputs must be within 1e-4 of the largest, gradients within 1e-3 in the Euclidean norm of each
tensor. Each of 20 losses, and the weights after them as one vector, must be within 1e-2.

A large network moves little in 20 steps, so these losses and weights do not show an optimizer that does nothing. Two
more errors do. `learning` is how much the first steps reduced the losses, as a share of the largest reduction. Keras'
Adam, whose epsilon acts before the bias correction, is off by up to a quarter in Inception v3. Half the learning rate
is off by half. `movement` is 1 - shorter way / longer way of the tensor where it is largest, from its initial value. A
tensor that does not move in one answer is off by 1. Right answers reach 0.97 (Inception v3, where gradients are as
small as Adam's epsilon). A way shorter than MOVED of the tensor is not compared, because rounding makes it.

A tolerance for the deepest network hides a defect in a shallow one. GELU by the hyperbolic tangent is off by 7e-5 in
outputs, where all others are off by 3e-7. So `times_as_far` compares an answer's distance with the distances among the
others, for its outputs, its learning, and the way of each tensor.
"""

from typing import Dict, Iterable, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from bench.answer import Answer
from bench.errors import ParityError

TOLERANCES = {"outputs": 1e-4, "gradients": 1e-3, "losses": 1e-2, "learning": 4e-1, "weights": 1e-2, "movement": 0.99}
MOVED = 1e-5  # of a tensor's norm; the shortest way that is compared
# The largest distance of an answer from all other frameworks, in times of their distances from each other (FAR), and
# the least value of these (LEAST). Chosen from all kept answers, each compared with those of at least three others:
#   kind      right answers reach (nearest other framework)     planted defects reach
#   outputs   11.5 times (Inception v3, JAX), others 3.6        GELU by tanh 70
#   learning  10.3 times (mnist_cnn, MXNet 1.0), others 6.0     epsilon inside the root: 158 to 3,800;
#                                                               no bias correction 2,900 and more
#   movement  2.9 times (Inception v3, TensorFlow 1.3)         a frozen tensor 10, or 1 / the others' difference;
#                                                               first layer: a tenth of the rate 9, half 5
# Gradients are not judged so: right answers reach 103 times, where rounding flips a maximum of VGG19. Adam's beta_2 of
# 0.99 for 0.999 remains below the limit of learning in four of seven small networks (11 to 26 times).
FAR = {"outputs": 30, "learning": 30, "movement": 4}
LEAST = {"outputs": 1e-6, "learning": 2e-5, "movement": 0.1}
# A tie that rounding flips (a ReLU at zero, two equal maxima) parts the ways of right answers, and so their losses: the
# ways of VGG19's tensors differ by 6e-2, and its learning by up to 4e-3, though most pairs differ by 6e-5.
SHAKEN = 1e-2  # of learning per movement of the typical tensor among the others
ROUNDING = LEAST["outputs"]  # of float32, in a few layers
FULL = "fp32"
# Of outputs in another precision, relative to the largest: TF32 keeps 10 bits of a factor and bfloat16 7, so a product
# is off by up to 2^-11 and 2^-8, and a deep network by some times as much. A network that magnifies rounding does so in
# every precision: outputs of eight networks in bfloat16 were 2^11.5 to 2^15 times as far off as those in float32. So
# the limits grow as float32 is farther off than ROUNDING.
OUTPUTS_ON_DEVICE = {"tf32": 3e-3, "bf16": 3e-2}
ACTS = 10.0  # times the error of float32's outputs on the same device: below, the precision's switch did nothing
NOISE = 1e-3  # a gradient below this share of the largest one is compared on that scale, not on its own rounding noise


OPTIMISER = (
    "Likely the optimiser: compare its learning rate, momentum, decay, bias correction and where it adds epsilon with "
    "OPTIMIZERS of the workload's statement."
)
CAUSES = {
    "outputs": "Likely a layer: compare its defaults (epsilon, padding, activation, gates) with the workload's "
               "statement.",
    "gradients": "Outputs agree, so likely the loss (mean or sum, logits or probabilities) or the backward pass (a "
                 "detached or stopped gradient, a frozen layer).",
    "losses": "The weights agree, so likely the step or the wait: does the wait return the loss of its own step?",
    "weights": "The losses agree. Likely the optimiser (a decay, epsilon, a weight left out) or the moving statistics "
               "of a batch norm (momentum, n or n - 1).",
    "movement": "Likely a part that is never updated, or at another rate. Is each weight given to the optimiser? Is a "
                "layer frozen that the workload trains?",
}  # fmt: skip


class Comparison(NamedTuple):
    """The largest relative error of each kind in TOLERANCES that both answers hold, and where it is."""

    errors: Dict[str, float]
    worst: Dict[str, str]
    ways: Optional[Dict[str, float]] = None  # of each tensor: the distance of its movements, in shares of the longer

    @property
    def passes(self) -> bool:
        """Whether each error is finite and within its tolerance."""
        return all(error <= TOLERANCES[kind] for kind, error in self.errors.items())


class Pair(NamedTuple):
    """How the answers of two environments and modes to one question compare."""

    workload: str
    optimizer: str
    environment_a: str
    mode_a: str
    environment_b: str
    mode_b: str
    proof_a: str  # hash
    comparison: Optional[Comparison]  # None: they hold other arrays
    reason: str  # empty if they agree

    @property
    def passes(self) -> bool:
        """Whether they agree."""
        return self.comparison is not None and self.comparison.passes


def _require_same_names(a, b, what):
    ours, theirs = set(a[what].tolist()), set(b[what].tolist())
    if ours != theirs:
        raise ParityError(
            "The two answers hold different %s: only in the first %s, only in the second %s. Name layers as in "
            "bench/workloads/." % (what.replace("_", " "), sorted(ours - theirs)[:5], sorted(theirs - ours)[:5])
        )


def _relative(a, b, noise):
    """Return |a - b| / |b| of each tensor, in the Euclidean norm of its sketch (tensors, WIDTH)."""
    norms = np.linalg.norm(b.astype(np.float64), axis=-1)
    return np.linalg.norm(a.astype(np.float64) - b, axis=-1) / np.maximum(norms, noise * norms.max())


def _largest(errors, names):
    """Return (largest error, its name); NaN counts as infinite."""
    errors = np.where(np.isfinite(errors), errors, np.inf)
    index = int(np.argmax(errors))
    return float(errors[index]), str(names[index])


def _gradients(a, b):
    """Return (error, name) of the worst gradient, each taken from the batch where it differs least.

    A tie that rounding flips (a ReLU at zero, two equal maxima) is in some batches, a bug in all.
    """
    if not (np.isfinite(a["gradients"]).all() and np.isfinite(b["gradients"]).all()):
        return float("inf"), "a number that is not finite"
    batches = [_relative(ours, theirs, NOISE) for ours, theirs in zip(a["gradients"], b["gradients"])]
    return _largest(np.min(batches, axis=0), b["gradient_names"])


def _weights(a, b):
    """Return (error of all weights as one vector, name of the tensor that contributes most)."""
    distances = np.linalg.norm(a["weights"].astype(np.float64) - b["weights"], axis=-1)
    error = np.linalg.norm(distances) / np.linalg.norm(b["weights"].astype(np.float64))
    return (float(error) if np.isfinite(error) else float("inf")), _largest(distances, b["weight_names"])[1]


def _movement(a, b):
    """Return (how far the sizes of a tensor's two movements differ, its name) of the worst, and {name: distance}.

    Both answers started from `start`, the sketches of the canonical weights.
    """
    start, names = b["start"].astype(np.float64), b["weight_names"].tolist()
    ways = [np.linalg.norm(answer["weights"] - start, axis=-1) for answer in (a, b)]
    longer = np.maximum(np.maximum(*ways), MOVED * np.linalg.norm(start, axis=-1))
    longer = np.where(longer > 0, longer, 1)  # zeros that stayed zeros
    apart = np.linalg.norm(a["weights"].astype(np.float64) - b["weights"], axis=-1) / longer
    worst = _largest(np.abs(ways[0] - ways[1]) / longer, names)
    return worst, dict(zip(names, np.where(np.isfinite(apart), apart, np.inf).tolist()))


def _outputs(a, b):
    """Return the largest relative error of the outputs over the batches."""
    axes = tuple(range(1, b["outputs"].ndim))
    errors = np.abs(a["outputs"] - b["outputs"]).max(axes) / np.abs(b["outputs"]).max(axes)
    return _largest(errors, ["batch %d" % (index + 1) for index in range(len(errors))])


def _loss(a, b):
    """Return the largest relative error of the losses beside the outputs."""
    return _largest(np.abs(a["loss"] - b["loss"]) / np.abs(b["loss"]), ["the loss"] * len(b["loss"]))


def _learning(a, b):
    """Return the largest error of how far training has moved a loss from what it was before, as a share of the most.

    The first steps are on the batches whose losses were asked before any step. Where none moved, nothing is proven.
    """
    if not ("loss" in a and "loss" in b):
        raise ParityError("The losses before training are missing: the answer with the first optimizer holds them.")
    moved, other = (answer["losses"][: len(b["loss"])] - answer["loss"] for answer in (b, a))
    return _largest(np.abs(other - moved) / np.abs(moved).max(), _steps(moved))


def _steps(values):
    return ["step %d" % (index + 1) for index in range(len(values))]


def compare(a: Answer, b: Answer) -> Comparison:
    """Compare two answers to the same question; raises ParityError when they name different weights."""
    found, ways = {}, None
    for names in ("gradient_names", "weight_names"):
        if names in b:
            _require_same_names(a, b, names)
    if "outputs" in b:
        found["outputs"] = _outputs(a, b)
    if "gradients" in b:
        found["outputs"] = max(found["outputs"], _loss(a, b))
        found["gradients"] = _gradients(a, b)
    if "losses" in b:
        with np.errstate(all="ignore"):  # a loss that is not finite counts as an infinite error
            found["losses"] = _largest(np.abs(a["losses"] - b["losses"]) / np.abs(b["losses"]), _steps(b["losses"]))
            found["learning"] = _learning(a, b)
        found["weights"] = _weights(a, b)
    if "losses" in b and "start" in b:
        found["movement"], ways = _movement(a, b)
    errors = {kind: error for kind, (error, _) in found.items()}
    return Comparison(errors, {kind: name for kind, (_, name) in found.items()}, ways)


def compare_on_device(given: Answer, own: Answer, precision: str, rounding: float) -> Tuple[Dict[str, float], str]:
    """Return the errors of an answer on a device against the `own` proven one, and what is wrong with it, or "".

    `rounding` is the error of float32's outputs on the same device, 0 on the CPU. In another precision only outputs
    are compared: they must be near, and farther than float32's.
    """
    with np.errstate(all="ignore"):  # a number that is not finite counts as an infinite error
        if precision == FULL:
            comparison = compare(given, own)
            return comparison.errors, "" if comparison.passes else explain(comparison)
        error, _ = _outputs(given, own)
    carried = max(rounding, ROUNDING)
    most, least = OUTPUTS_ON_DEVICE[precision] * carried / ROUNDING, ACTS * carried
    reason = "outputs in %s differ by %.1e from its own proven ones, " % (precision, error)
    if not error <= most:
        return {"outputs": error}, reason + "at most %.1e is allowed" % most
    if error < least:
        return {"outputs": error}, reason + "and rounding alone by up to %.1e: %s does nothing" % (least, precision)
    return {"outputs": error}, ""


def times_as_far(own: Sequence[Comparison], among: Sequence[Comparison]) -> Dict[str, Tuple[float, str]]:
    """Return {kind of FAR: (times, where)}: an answer's distance from the nearest other, in distances between others.

    `own` compares it with each of the others, `among` those with each other: their median, which one that is itself far
    does not move. Only kinds that both hold.
    """
    found = {}
    for kind in ("outputs", "learning"):
        ours, theirs = ([each.errors[kind] for each in given if kind in each.errors] for given in (own, among))
        if ours and theirs:
            scale = max(float(np.median(theirs)), LEAST[kind], SHAKEN * _typical(among) if kind == "learning" else 0)
            found[kind] = min(ours) / scale, own[0].worst.get(kind, "")
    ours, theirs = (_ways(given) for given in (own, among))
    if len(ours) and len(theirs):
        times = np.min(ours, axis=0) / np.maximum(np.median(theirs, axis=0), LEAST["movement"])
        found["movement"] = _largest(times, sorted(next(each.ways for each in own if each.ways)))
    return found


def _ways(comparisons):
    """Return (comparisons, tensors): the distance of two movements."""
    return np.array([[each.ways[name] for name in sorted(each.ways)] for each in comparisons if each.ways])


def _typical(comparisons):
    """Return by how much the movements of a typical tensor differ, in a typical comparison."""
    ways = _ways(comparisons)
    return float(np.median(ways)) if len(ways) else 0.0


def explain(comparison: Comparison) -> str:
    """Say which errors of a comparison are too large, where, and what to look at."""
    kinds = [kind for kind, error in comparison.errors.items() if not error <= TOLERANCES[kind]]
    parts = [
        "%s differ%s by %.1e%s, at most %s is allowed"
        % (kind, "" if kind.endswith("s") else "s", comparison.errors[kind], _place(comparison.worst[kind]),
           "%.0e" % TOLERANCES[kind] if TOLERANCES[kind] < 0.5 else TOLERANCES[kind])
        for kind in kinds
    ]  # fmt: skip
    return "%s. %s" % ("; ".join(parts), likely_cause(kinds))


def _place(where):
    return " at " + where if where else ""


def likely_cause(kinds: Iterable[str]) -> str:
    """Return where to look first, by the kinds of errors that are too large."""
    given = set(kinds)
    for kind in ("outputs", "gradients"):
        if kind in given:
            return CAUSES[kind]
    if given <= {"learning", "movement"}:
        return CAUSES["movement"]
    return CAUSES[given.pop()] if len(given) == 1 else OPTIMISER
