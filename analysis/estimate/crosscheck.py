"""Check intervals by resampling the rounds of each pair.

This is the bootstrap-t. A replicate draws rounds with replacement and studentises the mean of their logarithms.
The quantiles of that replace Student's (Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 12.5).
Blocks within a round are not drawn: their noise is in the round's number already, and would count twice. See Davison
and Hinkley 1997, Bootstrap Methods and their Application, section 3.8.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np

from analysis import cache
from analysis.estimate.estimates import Estimates
from analysis.estimate.pairs import Pair
from analysis.load.campaigns import READER
from analysis.load.table import Results, Times, answering, by_row
from analysis.stats import interval
from analysis.stats.interval import CONFIDENCE, Interval, exp

SOURCES = ("analysis/estimate/crosscheck.py", *READER)
REPLICATES = 10_000
SEED = 20170501  # always the same draws: the same files give the same interval
MIN_ROUNDS = 16  # see docs/method.md: below, too many draws hold next to one round only, and the quantiles mean little
NO_ERROR = 1e-12  # of a mean of logarithms: what rounding leaves of rounds that are all alike
APART = 1.0  # of the paired interval's half-width: what two bounds may lie apart


class Check(NamedTuple):
    """A pair's ratio by resampling, and where it contradicts the paired interval."""

    resampled: Interval
    disagreement: str | None


def checks(results: Results, answers: Sequence[Estimates], pairs: Sequence[Pair]) -> list[Check]:
    """Check pairs on the runs of one answer, or of those that a geometric mean is over."""
    asked = [each.question.key for each in answers]
    inputs = [*results.came_from(asked), *(name for pair in pairs for row in (pair.a, pair.b) for name in row)]

    def resampled() -> list[Interval]:
        times = [by_row(runs, runs["step_s"]) for runs in (answering(results.runs, *key) for key in asked)]
        return [bootstrap_t(log_ratios(times, pair)) for pair in pairs]

    found = (Interval(*each) for each in cache.recall("resampled", inputs, resampled, SOURCES))
    return [Check(own, _disagreement(pair, own)) for pair, own in zip(pairs, found, strict=True)]


def log_ratios(questions: Sequence[Times], pair: Pair) -> list[float]:
    """Return the logarithm of b's time over a's, a mean over questions, of each round in which both have all times."""
    own = [(each[pair.b], each[pair.a]) for each in questions]
    common = set.intersection(*(set(each) for both in own for each in both))
    return [fmean(math.log(b[number] / a[number]) for b, a in own) for number in sorted(common)]


def _disagreement(pair: Pair, resampled: Interval) -> str | None:
    if resampled.low is None or pair.ratio.low is None:
        return None
    claim = interval.claim(resampled, pair.p)
    if claim != pair.claim:
        return f"by resampling: {claim}"
    half = math.log(pair.ratio.bounds[1] / pair.ratio.value)
    apart = max(abs(math.log(one / other)) for one, other in zip(resampled.bounds, pair.ratio.bounds, strict=True))
    return "by resampling: bounds elsewhere" if apart > APART * half else None


def bootstrap_t(logs: Sequence[float], replicates: int = REPLICATES) -> Interval:
    """Return the geometric mean of ratios, given the logarithm of each round's, with its 99 % bootstrap-t interval.

    Below MIN_ROUNDS there are no bounds.
    """
    rounds = np.asarray(logs, float)
    count, centre = len(rounds), float(rounds.mean())
    if count < MIN_ROUNDS:
        return Interval(exp(centre), None, None, count)
    drawn = rounds[_draws(replicates, count)]
    off, errors = drawn.mean(axis=1) - centre, drawn.std(axis=1, ddof=1) / math.sqrt(count)
    studentised = np.divide(off, errors, out=np.zeros_like(off), where=errors > NO_ERROR)
    tail, error = (1 - CONFIDENCE) / 2, float(rounds.std(ddof=1)) / math.sqrt(count)
    low, high = np.quantile(studentised, (tail, 1 - tail)).tolist()
    return Interval(exp(centre), exp(centre - high * error), exp(centre - low * error), count)


@lru_cache(maxsize=16)
def _draws(replicates: int, count: int) -> np.ndarray[Any, np.dtype[np.int16]]:
    """Return which rounds each replicate draws (replicates, count): the same for all pairs of as many rounds."""
    return np.random.default_rng(SEED).integers(count, size=(replicates, count), dtype=np.int16)
