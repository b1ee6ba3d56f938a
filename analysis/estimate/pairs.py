"""Two competitors beside each other: the ratio of their times, and what may be claimed of it."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analysis.stats import Row, interval, moments, shared_variance
from analysis.stats.interval import Interval
from analysis.stats.moments import Moments
from analysis.stats.shared_variance import Shared


class Pair(NamedTuple):
    """Two competitors: `ratio` is the time of `b` over the time of `a`, paired within rounds."""

    a: Row
    b: Row
    ratio: Interval
    p_alone: float  # as if no other pair were compared
    p: float  # adjusted over the question's pairs
    claim: str  # "faster", "equivalent" or "unresolved"
    error: float | None = None  # the standard error of the ratio's logarithm; None below MIN_ROUNDS
    freedom: float = 0.0  # its degrees of freedom

    @property
    def turned(self) -> "Pair":
        """The same pair, with the ratio of `a` to `b`."""
        return self._replace(a=self.b, b=self.a, ratio=self.ratio.inverse())

    @property
    def faster(self) -> Row | None:
        """The one that is claimed to be faster, or None when nothing is claimed."""
        if self.claim != "faster":
            return None
        return self.a if self.ratio.value > 1 else self.b


def compare(times: Mapping[Row, Mapping[int, float]]) -> list[Pair]:
    """Compare each competitor with each after it, on rounds of one campaign; claims are adjusted over all pairs."""
    return estimated_pairs(moments.of_pairs(times, {}, {}), shared_variance.NOTHING)


def estimated_pairs(each: Moments, shared: Shared) -> list[Pair]:
    """Return a question's pairs with what may be claimed of them."""
    return adjusted(pairs_of(each, shared))


def pairs_of(each: Moments, shared: Shared) -> list[Pair]:
    """Return each competitor beside each that it shares a round with; of none is anything claimed yet."""
    errors, freedom = shared_variance.errors(each, shared)
    ratios, p_values = interval.of_moments(each.centre, errors, freedom, each.rounds)
    return [
        Pair(*pair, ratio, p, p, "unresolved", None if math.isnan(error) else error, own)
        for pair, ratio, p, error, own in zip(
            each.pairs, ratios, p_values, errors.tolist(), freedom.tolist(), strict=True
        )
    ]


def adjusted(pairs: Sequence[Pair]) -> list[Pair]:
    """Return a question's pairs with what may be claimed of each beside all others."""
    p_values = interval.holm([pair.p_alone for pair in pairs])
    return [pair._replace(p=p, claim=interval.claim(pair.ratio, p)) for pair, p in zip(pairs, p_values, strict=True)]


def beaten_by(pairs: Sequence[Pair]) -> dict[Row, set[Row]]:
    """Return, for each competitor, all that are claimed to be faster, directly or through one between them.

    Where lost rounds let claims run in a circle, they contradict each other: none of the circle counts within it.
    """
    direct: dict[Row, set[Row]] = {}
    for pair in pairs:
        if pair.faster is not None:
            direct.setdefault(pair.b if pair.faster == pair.a else pair.a, set()).add(pair.faster)
    rows = {row for pair in pairs for row in (pair.a, pair.b)}
    found = {row: closure(row, direct) for row in sorted(rows)}
    return {row: {other for other in others if row not in found[other]} for row, others in found.items()}


def closure(row: Row, direct: dict[Row, set[Row]]) -> set[Row]:
    """Return who is reached from a competitor, directly or through others."""
    found: set[Row] = set()
    waiting = list(direct.get(row, ()))
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting.extend(direct.get(other, ()))
    return found - {row}


def connected(row: Row, pairs: Sequence[Pair]) -> set[Row]:
    """Return who shares rounds with a competitor, itself or through others."""
    beside: dict[Row, set[Row]] = {}
    for pair in pairs:
        beside.setdefault(pair.a, set()).add(pair.b)
        beside.setdefault(pair.b, set()).add(pair.a)
    return {row} | closure(row, beside)
