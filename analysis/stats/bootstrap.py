"""Cross-check an interval without Student's t: the bootstrap-t, for ratios and their means over workloads.

A replicate draws rounds with replacement and studentises the mean of their logarithms; the quantiles of that take the
place of Student's (Efron and Tibshirani 1993, An Introduction to the Bootstrap, section 12.5). What scatters within a
round is in its number already: drawn once more, it would count twice (Davison and Hinkley 1997, Bootstrap Methods and
their Application, section 3.8).
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from analysis.stats.interval import CONFIDENCE, Interval, exp

REPLICATES = 10_000
SEED = 20170501  # always the same draws: the same files give the same interval
MIN_ROUNDS = 16  # see docs/method.md: below, too many draws hold next to one round only, and the quantiles mean little
NO_ERROR = 1e-12  # of a mean of logarithms: what rounding leaves of rounds that are all alike

Places = np.ndarray[Any, np.dtype[np.int16]]


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
def _draws(replicates: int, count: int) -> Places:
    """Return which rounds each replicate draws (replicates, count): the same for all pairs of as many rounds."""
    return np.random.default_rng(SEED).integers(count, size=(replicates, count), dtype=np.int16)
