"""Compare two answers to the same parity question: do two environments compute the same thing?

Tolerances are those of the design: outputs within 1e-4 of the largest, gradients within 1e-3, and each of 20 losses and
the weights after them within 1e-2, relative. Gradients are compared in the Euclidean norm of each tensor, weights in
that of all of them. A large network moves so little in 20 steps that its losses and weights alone would not tell an
optimizer that stands still: so what the first steps took off the losses is compared too, as a share of the most. There
Keras' Adam, whose epsilon acts before the bias correction, is up to a quarter off, and half the rate is off by half.

A tolerance must leave room for rounding in the deepest network, and hides an approximation in a shallow one: GELU by
the hyperbolic tangent misses outputs by 7e-5, where all others differ by 3e-7. So an answer is also held against how
much the others differ among themselves (`times_as_far`).
"""

from typing import Any, Dict, NamedTuple, Sequence

import numpy as np

from bench.errors import ParityError

TOLERANCES = {"outputs": 1e-4, "gradients": 1e-3, "losses": 1e-2, "learning": 4e-1, "weights": 1e-2}
# Chosen from 247 right answers: the nearest other one's outputs are at most 10.5 times as far as the others' are from
# each other (Inception v3, in JAX), and at most 2.1 times in all other networks. Only outputs are held so: of gradients
# it is up to 103 times (rounding flips a maximum of VGG19), of weights 2,700 (PyTorch's moving variance is
# n / (n - 1) times the others'), and losses fall into two camps by the epsilon of Adam.
FAR = 30  # times
ROUNDING = 1e-6  # of float32, in a few layers: answers that differ by less are taken to differ by as much
NOISE = 1e-3  # a gradient below this share of the largest one is compared on that scale, not on its own rounding noise


class Comparison(NamedTuple):
    """The largest relative error of each kind in TOLERANCES that both answers hold, and where it is."""

    errors: Dict[str, float]
    worst: Dict[str, str]

    @property
    def passes(self) -> bool:
        """Whether each error is finite and within its tolerance."""
        return all(error <= TOLERANCES[kind] for kind, error in self.errors.items())


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
        raise ParityError("The losses before training are missing: they stand in the answer with the first optimizer.")
    moved, other = (answer["losses"][: len(b["loss"])] - answer["loss"] for answer in (b, a))
    return _largest(np.abs(other - moved) / np.abs(moved).max(), _steps(moved))


def _steps(values):
    return ["step %d" % (index + 1) for index in range(len(values))]


def compare(a: Dict[str, Any], b: Dict[str, Any]) -> Comparison:
    """Compare two answers to the same question; raises ParityError when they name different weights."""
    found = {}
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
    return Comparison({kind: error for kind, (error, _) in found.items()}, {k: name for k, (_, name) in found.items()})


def times_as_far(own: Sequence[Comparison], among: Sequence[Comparison]) -> float:
    """Return how many times as far an answer's outputs are from the nearest of others as those are from each other.

    `own` compares it with each of the others, `among` those with each other: their median, which one that is itself far
    does not move. 0 where there is nothing to hold it against.
    """
    ours, theirs = ([each.errors["outputs"] for each in given if "outputs" in each.errors] for given in (own, among))
    return min(ours) / max(float(np.median(theirs)), ROUNDING) if ours and theirs else 0.0


def explain(comparison: Comparison) -> str:
    """Say which errors of a comparison are too large, where, and what to look at."""
    parts = [
        "%s differ by %.1e%s, at most %.0e is allowed"
        % (kind, error, " at " + comparison.worst[kind], TOLERANCES[kind])
        for kind, error in comparison.errors.items()
        if not error <= TOLERANCES[kind]
    ]
    return "; ".join(parts) + ". Compare the layers' defaults with the workload's statement."
