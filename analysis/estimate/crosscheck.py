"""Does a pair's interval, and what is claimed from it, stand without Student's t? Beside it the bootstrap-t says."""

import math
from collections.abc import Sequence
from statistics import fmean
from typing import NamedTuple

import pandas as pd

from analysis import cache
from analysis.estimate.estimates import Estimates
from analysis.estimate.pairs import Pair
from analysis.load.campaigns import READER
from analysis.load.table import Results, Times, answering, times_s
from analysis.stats import interval
from analysis.stats.bootstrap import bootstrap_t
from analysis.stats.interval import Interval

SOURCES = ("analysis/estimate/crosscheck.py", *READER)
APART = 1.0  # of the paired interval's half-width: what two bounds may lie apart


class Check(NamedTuple):
    """A pair's ratio by resampling, and where it contradicts the paired interval."""

    resampled: Interval
    disagreement: str | None


def checks(results: Results, answers: Sequence[Estimates], pairs: Sequence[Pair]) -> list[Check]:
    """Check pairs on the runs of one answer, or of those that a geometric mean is over."""
    asked = [each.question.key for each in answers]
    inputs = [*results.came_from(asked), *(name for pair in pairs for row in (pair.a, pair.b) for name in row)]
    resampled = cache.recall(
        "resampled", inputs, lambda: _resampled([answering(results.runs, *each) for each in asked], pairs), SOURCES
    )
    return [
        Check(Interval(*each), _disagreement(pair, Interval(*each)))
        for pair, each in zip(pairs, resampled, strict=True)
    ]


def check(questions: Sequence[pd.DataFrame], pair: Pair) -> Check:
    """Check one pair, without keeping what came."""
    (resampled,) = _resampled(questions, [pair])
    return Check(resampled, _disagreement(pair, resampled))


def _resampled(questions: Sequence[pd.DataFrame], pairs: Sequence[Pair]) -> list[Interval]:
    times = [times_s(runs) for runs in questions]
    return [bootstrap_t(log_ratios(times, pair)) for pair in pairs]


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
