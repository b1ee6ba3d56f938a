"""Cross-check an interval without Student's t: the hierarchical bootstrap-t, for ratios and their means over workloads.

A replicate draws rounds with replacement, then blocks within each run of a drawn round, and studentises the mean of the
logarithms; the quantiles of that take the place of Student's (Efron and Tibshirani 1993, An Introduction to the
Bootstrap, section 12.5). Several workloads keep their rounds together: what is drawn is the round, with all its runs.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from analysis.interval import CONFIDENCE, Interval, exp, standard_error

REPLICATES = 10_000
SEED = 20170501  # always the same draws: the same files give the same interval
MIN_ROUNDS = 6  # see docs/method.md: below, too many draws hold one round only, and the quantiles mean little

Blocks = Sequence[float]  # seconds per step of one run, block by block
Numbers = np.ndarray[Any, np.dtype[np.float64]]
Round = Sequence[tuple[Blocks, Blocks]]  # of each workload, the slower and the faster competitor's run


def bootstrap_t(rounds: Sequence[Round], replicates: int = REPLICATES) -> Interval:
    """Return the geometric mean of slower / faster over rounds and workloads, with its 99 % bootstrap-t interval.

    A run's number is the median of its blocks. Below MIN_ROUNDS there are no bounds.
    """
    logs = np.array([_log_ratio(each) for each in rounds])
    centre, count = float(logs.mean()), len(logs)
    if count < MIN_ROUNDS:
        return Interval(exp(centre), None, None, count)
    error = standard_error(logs)
    low, high = _quantiles(rounds, centre, replicates)
    return Interval(exp(centre), exp(centre - high * error), exp(centre - low * error), count)


def _log_ratio(round_: Round) -> float:
    return float(np.mean([math.log(np.median(slower) / np.median(faster)) for slower, faster in round_]))


def _quantiles(rounds: Sequence[Round], centre: float, replicates: int) -> tuple[float, float]:
    """Return the quantiles of the studentised mean that leave half of 1 % on either side."""
    random, count = np.random.default_rng(SEED), len(rounds)
    drawn = random.integers(count, size=(replicates, count), dtype=np.int16)
    times = np.bincount(drawn.ravel(), minlength=count)  # how often each round is drawn, over all replicates
    logs = np.empty(drawn.shape)
    logs.flat[np.argsort(drawn, axis=None, kind="stable")] = np.concatenate(
        [_drawn_log_ratios(round_, int(size), random) for round_, size in zip(rounds, times, strict=True)]
    )
    errors = logs.std(axis=1, ddof=1) / math.sqrt(count)
    excess = logs.mean(axis=1) - centre
    studentised = np.divide(excess, errors, out=np.zeros_like(excess), where=errors > 0)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(studentised, (tail, 1 - tail))
    return float(low), float(high)


def _drawn_log_ratios(round_: Round, size: int, random: np.random.Generator) -> Numbers:
    """Return `size` logarithms of a round's ratio, each with the blocks of every run drawn anew."""
    total: Numbers = np.zeros(size)
    for slower, faster in round_:
        total = total + np.log(drawn_medians(slower, size, random) / drawn_medians(faster, size, random))
    return total / len(round_)


def drawn_medians(blocks: Blocks, size: int, random: np.random.Generator) -> Numbers:
    """Return `size` medians of as many blocks drawn with replacement, without drawing them all.

    Drawing n of n sorted values rounds n uniform numbers down to places, and the k-th smallest of n uniform numbers has
    a beta distribution, the next one after it the smallest of the n - k left (David and Nagaraja 2003, Order
    Statistics, sections 2.3 and 2.5).
    """
    values, count = np.sort(np.asarray(blocks, float)), len(blocks)
    middle = (count + 1) // 2
    lower = random.beta(middle, count + 1 - middle, size)
    medians: Numbers = values[(count * lower).astype(int)]
    if count % 2:
        return medians
    upper = 1 - (1 - lower) * random.random(size) ** (1 / (count - middle))
    nexts: Numbers = values[(count * upper).astype(int)]
    return 0.5 * (medians + nexts)
