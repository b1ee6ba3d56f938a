"""Who may be the fastest, and by how much the others are behind: multiple comparisons with the best.

J. Hsu (Constrained simultaneous confidence intervals for multiple comparisons with the best, Ann. Statist. 12, 1984).
Were the fastest known, it would be compared with each other competitor, one-sided, at a level that Bonferroni shares
among them. All who pass as the fastest in that are the set that may be; the true one is among them, and each other is
at least as far behind as it is behind the nearest of the set, in 99 of 100 questions, all of it together. With a
variance for each pair: D. Edwards and J. Hsu (J. Amer. Statist. Assoc. 78, 1983).
"""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis.estimate.pairs import Pair
from analysis.stats import Row
from analysis.stats.interval import CONFIDENCE, FASTER


class Best(NamedTuple):
    """Who may be the fastest, and at least how many times as long as the fastest each other takes."""

    may_be: frozenset[Row]
    behind: Mapping[Row, float]


def of(rows: Sequence[Row], pairs: Sequence[Pair]) -> Best:
    """Return which of some competitors may be the fastest; without an interval, neither of two is behind the other.

    As for a claim, what is within 1 % is not behind.
    """
    least = _least(len(rows), pairs)
    may_be = frozenset(
        row for row in rows if not any(i == row and low > math.log(FASTER) for (i, _), low in least.items())
    )
    behind = {row: min((least.get((row, each), -math.inf) for each in may_be), default=-math.inf)
              for row in rows if row not in may_be}  # fmt: skip
    return Best(may_be, {row: math.exp(low) for row, low in behind.items() if low > 0})


def _least(competitors: int, pairs: Sequence[Pair]) -> dict[tuple[Row, Row], float]:
    """Return, for each competitor beside each other, the lower bound of the logarithm of their times' ratio."""
    known = [pair for pair in pairs if pair.error is not None]
    if not known:
        return {}
    level = (1 - CONFIDENCE) / (competitors - 1)
    errors = np.array([pair.error for pair in known], float)
    off = special.stdtrit(np.array([pair.freedom for pair in known]), 1 - level) * errors
    found = {}
    for pair, width in zip(known, off.tolist(), strict=True):
        centre = math.log(pair.ratio.value)
        found[pair.b, pair.a], found[pair.a, pair.b] = centre - width, -centre - width
    return found
