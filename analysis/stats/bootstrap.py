"""Cross-check an interval without Student's t: the hierarchical bootstrap-t, for ratios and their means over workloads.

A replicate draws rounds with replacement, then blocks within each run of a drawn round, and studentises the mean of the
logarithms; the quantiles of that take the place of Student's (Efron and Tibshirani 1993, An Introduction to the
Bootstrap, section 12.5). Several workloads keep their rounds together: what is drawn is the round, with all its runs.
No block is really drawn: which medians a run's blocks may have, and how often, is known (`medians`), and all pairs are
drawn with the same random numbers.
"""

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import median
from typing import Any

import numpy as np
from scipy import special

from analysis.stats.interval import CONFIDENCE, Interval, exp, standard_error

REPLICATES = 10_000
SEED = 20170501  # always the same draws: the same files give the same interval
MIN_ROUNDS = 6  # see docs/method.md: below, too many draws hold one round only, and the quantiles mean little

Blocks = Sequence[float]  # seconds per step of one run, block by block
Numbers = np.ndarray[Any, np.dtype[np.float64]]
Places = np.ndarray[Any, np.dtype[Any]]
Round = Sequence[tuple[Blocks, Blocks]]  # of each workload, the slower and the faster competitor's run


def bootstrap_t(rounds: Sequence[Round], replicates: int = REPLICATES) -> Interval:
    """Return the geometric mean of slower / faster over rounds and workloads, with its 99 % bootstrap-t interval.

    A run's number is the median of its blocks. Below MIN_ROUNDS there are no bounds.
    """
    logs = [_log_ratio(each) for each in rounds]
    centre, count = float(np.mean(logs)), len(logs)
    if count < MIN_ROUNDS:
        return Interval(exp(centre), None, None, count)
    error = standard_error(logs)
    low, high = _quantiles(rounds, centre, replicates)
    return Interval(exp(centre), exp(centre - high * error), exp(centre - low * error), count)


def _log_ratio(round_: Round) -> float:
    return float(np.mean([math.log(median(slower) / median(faster)) for slower, faster in round_]))


def _quantiles(rounds: Sequence[Round], centre: float, replicates: int) -> tuple[float, float]:
    """Return the quantiles of the studentised mean that leave half of 1 % on either side."""
    count, workloads = len(rounds), len(rounds[0])
    ratios = [_drawn_logs(_runs(rounds, each, 0), replicates, 2 * each)
              - _drawn_logs(_runs(rounds, each, 1), replicates, 2 * each + 1) for each in range(workloads)]  # fmt: skip
    logs = (sum(ratios[1:], ratios[0]) / workloads).reshape(replicates, count)
    excess = logs.mean(axis=1)
    logs -= excess[:, None]
    errors = np.sqrt(np.einsum("ij,ij->i", logs, logs) / ((count - 1) * count))
    excess -= centre
    studentised = np.divide(excess, errors, out=np.zeros_like(excess), where=errors > 0)
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(studentised, (tail, 1 - tail))
    return float(low), float(high)


@lru_cache(maxsize=16)
def _draws(replicates: int, count: int) -> tuple[Places, Places]:
    """Return where the first round stands among all that are drawn, then the second ..., and where each one ends."""
    drawn = np.random.default_rng(SEED).integers(count, size=replicates * count, dtype=np.int16)
    return np.argsort(drawn, kind="stable"), np.cumsum(np.bincount(drawn, minlength=count))


def _runs(rounds: Sequence[Round], workload: int, side: int) -> tuple[tuple[float, ...], ...]:
    """Return the blocks of one competitor's runs of a workload, round by round."""
    return tuple(tuple(each[workload][side]) for each in rounds)


@lru_cache(maxsize=64)  # the competitors of a question, on either side of its pairs
def _drawn_logs(runs: tuple[tuple[float, ...], ...], replicates: int, stream: int) -> Numbers:
    """Return the logarithm of a run's median for each round that is drawn, with the run's blocks drawn anew."""
    count = len(runs)
    order, _ = _draws(replicates, count)
    logs = np.empty(order.size)
    logs[order] = np.concatenate(
        [_log_medians(each)[_choices(len(each), replicates, count, at, stream)] for at, each in enumerate(runs)]
    )
    return logs


def _log_medians(blocks: Blocks) -> Numbers:
    """Return the logarithm of each median that `medians` tells the chances of."""
    values, (lower, upper, _) = np.sort(np.asarray(blocks, float)), medians(len(blocks))
    found: Numbers = np.log(0.5 * (values[lower] + values[upper]))
    return found


@lru_cache(maxsize=2048)
def _choices(blocks: int, replicates: int, count: int, at: int, stream: int) -> Places:
    """Return which of its medians a run of so many blocks has, each time that its round, the `at`-th, is drawn."""
    _, ends = _draws(replicates, count)
    chances = _chances(replicates * count, stream)[ends[at - 1] if at else 0 : ends[at]]
    return np.searchsorted(medians(blocks)[2], chances, side="right").astype(np.uint32)


@lru_cache(maxsize=64)
def _chances(size: int, stream: int) -> Numbers:
    """Return uniform random numbers, the same always: a stream for each run of a round."""
    return np.random.default_rng((SEED, stream)).random(size)


@lru_cache(maxsize=256)
def medians(count: int) -> tuple[Places, Places, Numbers]:
    """Return which medians as many of `count` sorted blocks, drawn with replacement, may have, and how likely each is.

    A median lies in the middle between a lower and an upper place; the third array is the sum of the chances up to it.
    The k-th smallest that is drawn stands at place i or before it as often as a beta distribution says; the k-th at i
    and the one after it at j > i when k draws are up to i, one of them at i, and the others from j on, one of them at j
    (David and Nagaraja 2003, Order Statistics, sections 2.1 and 2.4).
    """
    middle, places = (count + 1) // 2, np.arange(count)
    chances = np.diff(special.betainc(middle, count + 1 - middle, np.arange(count + 1) / count))
    apart = np.zeros((count, count))
    if count % 2 == 0:
        ways = special.gammaln(count + 1) - 2 * special.gammaln(middle + 1)
        reach = middle * np.log((places + 1) / count) + np.log1p(-((places / (places + 1)) ** middle))
        later = places[:, None] < places
        apart = np.exp(np.where(later, ways + reach[:, None] + reach[::-1], -np.inf))
    shares = apart + np.diag(np.clip(chances - apart.sum(axis=1), 0, None))
    lower, upper = np.nonzero(shares)
    total = np.cumsum(shares[lower, upper])
    return lower, upper, total / total[-1]
