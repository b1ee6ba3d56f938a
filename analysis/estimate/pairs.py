"""Pairs of competitors: the ratio of their times, whether it is significant, and the ties for the fastest."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis.groups import collected
from analysis.stats import Row, interval, moments, shared_variance


class Pair(NamedTuple):
    """Two competitors: `ratio` is the time of `b` over the time of `a`, paired within rounds."""

    a: Row
    b: Row
    ratio: interval.Interval
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


def between(pairs: Sequence[Pair], a: Row, b: Row) -> Pair | None:
    """Return the pair of two competitors, turned so that its ratio is the time of `b` over that of `a`."""
    found = next((pair for pair in pairs if {pair.a, pair.b} == {a, b}), None)
    return found.turned if found and found.a != a else found


def compare(times: Mapping[Row, Mapping[int, float]]) -> list[Pair]:
    """Compare each competitor with each after it, on rounds of one campaign; claims are adjusted over all pairs."""
    return estimated_pairs(moments.of_pairs(times, {}, {}), shared_variance.NOTHING)


def estimated_pairs(each: moments.Moments, shared: shared_variance.Shared) -> list[Pair]:
    """Return a question's pairs with what may be claimed of them."""
    return adjusted(pairs_of(each, shared))


def pairs_of(each: moments.Moments, shared: shared_variance.Shared) -> list[Pair]:
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
    direct = collected((pair.b if pair.faster == pair.a else pair.a, pair.faster) for pair in pairs if pair.faster)
    rows = {row for pair in pairs for row in (pair.a, pair.b)}
    found = {row: closure(row, direct) for row in sorted(rows)}
    return {row: {other for other in others if row not in found[other]} for row, others in found.items()}


def closure(row: Row, direct: Mapping[Row, Sequence[Row]]) -> set[Row]:
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
    beside = collected(both for pair in pairs for both in ((pair.a, pair.b), (pair.b, pair.a)))
    return {row} | closure(row, beside)


class Best(NamedTuple):
    """The ties for the fastest, and the least factor by which each other competitor is slower."""

    may_be: frozenset[Row]
    behind: Mapping[Row, float]


def best_of(rows: Sequence[Row], pairs: Sequence[Pair]) -> Best:
    """Return which of some competitors may be the fastest; without an interval, neither of two is behind the other.

    As for a claim, what is within 1 % is not behind. These are multiple comparisons with the best: J. Hsu (Constrained
    simultaneous confidence intervals for multiple comparisons with the best, Ann. Statist. 12, 1984). Were the fastest
    known, it would be compared with each other competitor, one-sided, at a level that Bonferroni shares among them. The
    ties are all that pass as the fastest. Each other competitor is at least as far behind as it is behind the nearest
    tie. All of that is true in 99 of 100 questions. With a variance for each pair: D. Edwards and J. Hsu (J. Amer.
    Statist. Assoc. 78, 1983).
    """
    least = _least(len(rows), pairs)
    may_be = frozenset(
        row for row in rows if not any(i == row and low > math.log(interval.FASTER) for (i, _), low in least.items())
    )
    behind = {row: min((least.get((row, each), -math.inf) for each in may_be), default=-math.inf)
              for row in rows if row not in may_be}  # fmt: skip
    return Best(may_be, {row: math.exp(low) for row, low in behind.items() if low > 0})


def _least(competitors: int, pairs: Sequence[Pair]) -> dict[tuple[Row, Row], float]:
    """Return, for each competitor beside each other, the lower bound of the logarithm of their times' ratio."""
    known = [pair for pair in pairs if pair.error is not None]
    if not known:
        return {}
    level = (1 - interval.CONFIDENCE) / (competitors - 1)
    errors = np.array([pair.error for pair in known], float)
    off = special.stdtrit(np.array([pair.freedom for pair in known]), 1 - level) * errors
    found = {}
    for pair, width in zip(known, off.tolist(), strict=True):
        centre = math.log(pair.ratio.value)
        found[pair.b, pair.a], found[pair.a, pair.b] = centre - width, -centre - width
    return found
