"""Replay comparisons from measured rounds: draw rounds, and the turns within each anew, as the data are nested.

Block i of each of a round's runs is of turn i: what disturbed the machine then is in all of them, and a ratio leaves it
out. So turns are drawn, and with each the blocks of both sides; blocks drawn apart would replay noise that a comparison
never meets. Only of runs that took no turns, as before there were any, each one's blocks are drawn alone.

Everything is drawn from a fixed seed, so that the same results give the same pages.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis.control import Blocks
from analysis.interval import CONFIDENCE, EQUIVALENT, FASTER

SEED = 20261121
DRAWS = 100  # resampled numbers that are kept of each run: those of a round at one place are of the same turns
ROUNDS = 10  # of a replayed comparison: the fewest of a full campaign


class Rounds(NamedTuple):
    """Competitors of the same rounds: `logs` (competitors, rounds, DRAWS) are resampled numbers, NaN without a time."""

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


def prepare(blocks: Mapping[str, Mapping[int, Blocks]]) -> Rounds:
    """Resample the turns of each round; who failed in one round takes part in all others.

    Groups of a round that were not alive together took turns of their own: they are told by how many they made.
    """
    random = np.random.default_rng(SEED)
    names, numbers = sorted(blocks), sorted({number for own in blocks.values() for number in own})
    logs = np.full((len(names), len(numbers), DRAWS), np.nan)
    for column, number in enumerate(numbers):
        turns: dict[int, np.ndarray] = {}
        for row, name in enumerate(names):
            if number in blocks[name]:
                own = blocks[name][number]
                drawn = _draws(len(own.steps_s), random)
                drawn = turns.setdefault(len(own.steps_s), drawn) if own.took_turns else drawn
                logs[row, column] = np.log(own.numbers(drawn))
    return Rounds(names, logs)


def _draws(count: int, random: np.random.Generator) -> np.ndarray:
    return random.integers(count, size=(DRAWS, count))


def between(rounds: Rounds, slower: str, faster: str, count: int, size: int = ROUNDS) -> Comparisons:
    """Replay `count` comparisons of two competitors, each over `size` of their own rounds, drawn with replacement."""
    random = np.random.default_rng(SEED)
    shared = rounds.shared(slower, faster)
    drawn = shared[random.integers(len(shared), size=(count, size))]
    a, b = (rounds.logs[rounds.names.index(name)] for name in (slower, faster))
    turns = random.integers(DRAWS, size=drawn.shape)
    return compare(a[drawn, turns] - b[drawn, turns])


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
    turns = random.integers(DRAWS, size=drawn.shape)
    a, b = (rounds.logs[present[each, drawn], drawn, turns] for each in (one, other))
    return compare(a - b)


def compare(logs: np.ndarray) -> Comparisons:
    """Compare by the log ratios (comparisons, rounds): Student's interval, as analysis.interval computes it for one.

    This is the one place that knows how a comparison is made of its rounds.
    """
    size = logs.shape[1]
    error = logs.std(axis=1, ddof=1) / np.sqrt(size)
    return Comparisons(logs.mean(axis=1), float(special.stdtrit(size - 1, 0.5 + CONFIDENCE / 2)) * error)
