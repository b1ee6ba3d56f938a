"""Replay comparisons from measured rounds: draw rounds, and in each run its blocks anew, as the data are nested.

Everything is drawn from a fixed seed, so that the same results give the same pages.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis.interval import CONFIDENCE, EQUIVALENT, FASTER

SEED = 20261121
DRAWS = 100  # resampled medians that are kept of each run
ROUNDS = 10  # of a replayed comparison: the fewest of a full campaign


class Rounds(NamedTuple):
    """Competitors of the same rounds: `logs` (competitors, rounds, DRAWS) are resampled medians, NaN without a time."""

    names: list[str]
    logs: np.ndarray

    @property
    def there(self) -> np.ndarray:
        """Say (competitors, rounds) who has a time in which round."""
        return np.asarray(~np.isnan(self.logs[:, :, 0]))

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


def prepare(times: Mapping[str, Mapping[int, np.ndarray]]) -> Rounds:
    """Resample the blocks of each run; who failed in one round takes part in all others."""
    random = np.random.default_rng(SEED)
    names, numbers = sorted(times), sorted({number for own in times.values() for number in own})
    logs = np.full((len(names), len(numbers), DRAWS), np.nan)
    for row, name in enumerate(names):
        for column, number in enumerate(numbers):
            if number in times[name]:
                logs[row, column] = np.log(_medians(times[name][number], random))
    return Rounds(names, logs)


def _medians(steps: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return np.asarray(np.median(random.choice(steps, (DRAWS, len(steps))), axis=1))


def between(rounds: Rounds, slower: str, faster: str, count: int, size: int = ROUNDS) -> Comparisons:
    """Replay `count` comparisons of two competitors, each over `size` of their own rounds, drawn with replacement."""
    random = np.random.default_rng(SEED)
    shared = rounds.shared(slower, faster)
    drawn = shared[random.integers(len(shared), size=(count, size))]
    a, b = (rounds.logs[rounds.names.index(name)] for name in (slower, faster))
    return compare(_draw(a, drawn, random) - _draw(b, drawn, random))


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
    flat = rounds.logs.reshape(-1, DRAWS)
    a, b = (present[each, drawn] * there.shape[1] + drawn for each in (one, other))
    return compare(_draw(flat, a, random) - _draw(flat, b, random))


def _draw(logs: np.ndarray, drawn: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return one of the resampled medians of each drawn run."""
    found: np.ndarray = logs[drawn, random.integers(DRAWS, size=drawn.shape)]
    return found


def compare(logs: np.ndarray) -> Comparisons:
    """Compare by the log ratios (comparisons, rounds): Student's interval, as analysis.interval computes it for one."""
    size = logs.shape[1]
    error = logs.std(axis=1, ddof=1) / np.sqrt(size)
    return Comparisons(logs.mean(axis=1), float(special.stdtrit(size - 1, 0.5 + CONFIDENCE / 2)) * error)
