"""Intervals from few numbers: Student's t on logarithms, pairs within rounds, Holm's adjustment. No pandas."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy import special

Numbers = np.ndarray[Any, np.dtype[np.float64]]

CONFIDENCE = 0.99
MIN_ROUNDS = 3  # two numbers give an interval that is wider than any difference
FASTER = 1.01  # a ratio must be beyond this to be called a difference
EQUIVALENT = 1.02  # and its whole interval within this to be called none
LARGEST_LOG = 700.0  # of what a float holds


class Interval(NamedTuple):
    """A geometric mean over rounds and its 99 % interval; no bounds without enough rounds."""

    value: float
    low: float | None
    high: float | None
    rounds: int

    @property
    def reason(self) -> str | None:
        """Why there are no bounds, or None when there are."""
        if self.low is not None:
            return None
        return f"{self.rounds} round{'' if self.rounds == 1 else 's'}: no interval"

    @property
    def half_width(self) -> float | None:
        """The relative half-width: 0.01 when the upper bound is 1 % above the value."""
        return None if self.high is None else self.high / self.value - 1

    @property
    def bounds(self) -> tuple[float, float]:
        """The interval, or the value twice where there is none."""
        return (self.value, self.value) if self.low is None or self.high is None else (self.low, self.high)

    def is_within(self, factor: float) -> bool:
        """Say whether the whole interval is at most so many times more or less than 1; without one it is not."""
        return self.low is not None and self.high is not None and self.low >= 1 / factor and self.high <= factor

    def inverse(self) -> "Interval":
        """Return the interval of 1 / value."""
        low, high = (None, None) if self.low is None or self.high is None else (1 / self.high, 1 / self.low)
        return Interval(1 / self.value, low, high, self.rounds)

    def scaled(self, factor: float) -> "Interval":
        """Return the interval of `factor` times the value."""
        low, high = (bound if bound is None else factor * bound for bound in (self.low, self.high))
        return Interval(factor * self.value, low, high, self.rounds)


def mean(values: Sequence[float]) -> Interval:
    """Return the geometric mean of positive numbers with a t interval on their logarithms."""
    logs = _logs(values)
    error = standard_error(logs) if len(logs) >= MIN_ROUNDS else None
    return of_error(_mean(logs), error, len(logs) - 1, len(logs))


def of_moments(
    centres: Numbers, errors: Numbers, freedom: Numbers, rounds: Numbers
) -> tuple[list[Interval], list[float]]:
    """Return intervals and p-values, as of `mean` and `p_of`, of many means of logarithms at once: arrays (pairs,).

    `errors` are their standard errors, with as many degrees of freedom; NaN gives no bounds, and a p-value of 1.
    """
    known = [None if math.isnan(error) else error for error in errors.tolist()]
    both = list(zip(centres.tolist(), known, freedom.tolist(), rounds.astype(int).tolist(), strict=True))
    excess = (np.abs(centres) - math.log(FASTER)).tolist()
    p_values = [p_of(above, error, own) for above, (_, error, own, _) in zip(excess, both, strict=True)]
    return [of_error(*each) for each in both], p_values


def of_error(centre: float, error: float | None, freedom: float, rounds: int) -> Interval:
    """Return the interval of one mean of logarithms with its standard error; None gives no bounds."""
    if error is None:
        return Interval(exp(centre), None, None, rounds)
    half = float(reach(freedom)) * error
    return Interval(exp(centre), exp(centre - half), exp(centre + half), rounds)


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers alone."""
    return exp(_mean(_logs(values)))


def exp(value: float) -> float:
    """Return e to a power, as far as a float reaches: nobody's numbers may end a build."""
    return math.exp(min(max(value, -LARGEST_LOG), LARGEST_LOG))


def standard_error(logs: Sequence[float]) -> float:
    """Return the standard error of the mean of `logs`."""
    mean = _mean(logs)
    return math.sqrt(sum([(log - mean) ** 2 for log in logs]) / (len(logs) - 1)) / math.sqrt(len(logs))


def _logs(values: Sequence[float]) -> list[float]:
    return list(map(math.log, values))  # of a dozen numbers, in a tenth of the time that NumPy takes to begin


def _mean(logs: Sequence[float]) -> float:
    return sum(logs) / len(logs)


def reach(freedom: Numbers | float) -> Numbers:
    """Return how many standard errors a 99 % interval reaches to each side."""
    return np.asarray(special.stdtrit(freedom, 0.5 + CONFIDENCE / 2))


def paired(slower: Mapping[int, float], faster: Mapping[int, float]) -> list[float]:
    """Return slower / faster for each round that has both: a round shares the machine's state, a campaign does not."""
    return [slower[number] / faster[number] for number in sorted(set(slower) & set(faster))]


def p_of(excess: float, error: float | None, freedom: float) -> float:
    """Return the two-sided p-value of an excess with its standard error; 1 where that is not known."""
    if error is None:
        return 1.0
    if error == 0:
        return 0.0 if excess > 0 else 1.0
    return min(1.0, 2 * float(special.stdtr(freedom, -excess / error)))


def error_of_independent(times: Sequence[float], others: Sequence[float]) -> tuple[float, float]:
    """Return the standard error of the logarithm of a ratio of two means that share no round, and its freedom.

    It is Welch's (Biometrika 34, 1947), as the two may come from machines of unequal noise. A pooled spread, as in
    analysis/verify/bands.py, would hide that.
    """
    return error_of_sum([(standard_error(_logs(each)) ** 2, len(each) - 1.0) for each in (times, others)])


def error_of_sum(parts: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the root of a sum of variances, with Satterthwaite's degrees of freedom (Biometrics Bulletin 2, 1946).

    `parts` holds each variance with its degrees of freedom.
    """
    total = sum(variance for variance, _ in parts)
    below = sum(variance**2 / freedom for variance, freedom in parts)
    return math.sqrt(total), total**2 / below if below else max(freedom for _, freedom in parts)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return Holm's adjusted p-values: the smallest times their count, the next times one less, never decreasing."""
    adjusted, running = [1.0] * len(p_values), 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        running = max(running, min(1.0, (len(p_values) - place) * p_values[index]))
        adjusted[index] = running
    return adjusted


def claim(ratio: Interval, adjusted_p: float) -> str:
    """Say what may be claimed from a ratio: "faster" (one of the two is), "equivalent" or "unresolved"."""
    if ratio.low is None or ratio.high is None:
        return "unresolved"
    is_clear = ratio.low > FASTER or ratio.high < 1 / FASTER
    if is_clear and adjusted_p <= 1 - CONFIDENCE:
        return "faster"
    return "equivalent" if ratio.is_within(EQUIVALENT) else "unresolved"
