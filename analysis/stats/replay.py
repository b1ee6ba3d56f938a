"""Replay comparisons from measured rounds: draw rounds anew, each as it was measured.

The data are nested, turns within rounds. Drawing turns as well would count their noise twice, as a round's number holds
it already. Drawing only the upper level with replacement mimics the variance of such data best. See A. Davison and D.
Hinkley, Bootstrap Methods and their Application, 1997, section 3.8. Everything is drawn from a fixed seed, so that the
same results give the same pages.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from analysis.stats import moments
from analysis.stats.interval import EQUIVALENT, FASTER, reach

SEED = 20261121
ROUNDS = 10  # of a replayed comparison


class Rounds(NamedTuple):
    """Competitors of the same rounds: `logs` (competitors, rounds) of their times, NaN without one."""

    names: list[str]
    logs: np.ndarray

    @property
    def there(self) -> np.ndarray:
        """Say (competitors, rounds) who has a time in which round."""
        return np.asarray(~np.isnan(self.logs))

    def shared(self, one: str, other: str) -> np.ndarray:
        """Return the places of the rounds in which both have a time."""
        first, second = (self.there[self.names.index(name)] for name in (one, other))
        return np.flatnonzero(first & second)

    @property
    def comparable(self) -> np.ndarray:
        """Return the places of the rounds in which two at least have a time."""
        return np.flatnonzero(self.there.sum(axis=0) >= 2)


class Comparisons(NamedTuple):
    """Replayed comparisons of two, an element each: mean log ratio and half-width of its 99 % interval."""

    mean: np.ndarray
    half: np.ndarray

    def excludes(self, log_ratio: float) -> np.ndarray:
        """Say which intervals do not hold a ratio."""
        return np.asarray(np.abs(self.mean - log_ratio) > self.half)

    @property
    def claims(self) -> np.ndarray:
        """Say in which one is claimed to be faster: alone in its question, so that Holm adjusts nothing."""
        return np.asarray(np.abs(self.mean) - self.half > np.log(FASTER))

    @property
    def equivalences(self) -> np.ndarray:
        """Say in which the two are claimed to be equivalent."""
        return np.asarray(np.abs(self.mean) + self.half <= np.log(EQUIVALENT))


def prepare(times: Mapping[str, Mapping[int, float]]) -> Rounds:
    """Take seconds by competitor and round; who failed in one round takes part in all others."""
    return Rounds(sorted(times), moments.logarithms({name: times[name] for name in sorted(times)})[0])


def between(rounds: Rounds, slower: str, faster: str, count: int) -> Comparisons:
    """Replay `count` comparisons of two competitors, each over ROUNDS of their own rounds, drawn with replacement."""
    random = np.random.default_rng(SEED)
    shared = rounds.shared(slower, faster)
    drawn = shared[random.integers(len(shared), size=(count, ROUNDS))]
    a, b = (rounds.logs[rounds.names.index(name)] for name in (slower, faster))
    return compare(a[drawn] - b[drawn])


def among(rounds: Rounds, count: int, size: int = ROUNDS) -> Comparisons:
    """Replay `count` comparisons of twins: each draws `size` rounds, and in each of them two of its twins by chance.

    Which of two equal things bears which name is chance, so that their true ratio is exactly 1.
    """
    random = np.random.default_rng(SEED)
    there, comparable = rounds.there, rounds.comparable
    drawn = comparable[random.integers(len(comparable), size=(count, size))]
    present = np.argsort(~there, axis=0, kind="stable")  # in each round, who has a time comes first
    number = there.sum(axis=0)[drawn]
    one = random.integers(number)
    other = (one + random.integers(1, number)) % number
    a, b = (rounds.logs[present[each, drawn], drawn] for each in (one, other))
    return compare(a - b)


def compare(logs: np.ndarray) -> Comparisons:
    """Compare by the log ratios (comparisons, rounds): Student's interval, as interval.py computes it for one.

    This is the one place that knows how a comparison is made of its rounds.
    """
    size = logs.shape[1]
    error = logs.std(axis=1, ddof=1) / np.sqrt(size)
    return Comparisons(logs.mean(axis=1), reach(np.asarray(size - 1.0)) * error)
