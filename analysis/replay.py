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
    """Competitors that were measured in the same rounds: `logs` (competitors, rounds, DRAWS) are resampled medians."""

    names: list[str]
    logs: np.ndarray


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
    """Resample each run's blocks; only rounds in which every competitor has a time take part."""
    random = np.random.default_rng(SEED)
    names = sorted(times)
    shared = sorted(set.intersection(*(set(times[name]) for name in names))) if names else []
    logs = [[_medians(times[name][number], random) for number in shared] for name in names]
    return Rounds(names, np.log(np.array(logs).reshape(len(names), len(shared), DRAWS)))


def _medians(steps: np.ndarray, random: np.random.Generator) -> np.ndarray:
    return np.asarray(np.median(random.choice(steps, (DRAWS, len(steps))), axis=1))


def between(rounds: Rounds, slower: str, faster: str, count: int, size: int = ROUNDS) -> Comparisons:
    """Replay `count` comparisons of two competitors, each over `size` rounds drawn with replacement."""
    random = np.random.default_rng(SEED)
    drawn = random.integers(rounds.logs.shape[1], size=(count, size))
    a, b = (rounds.logs[rounds.names.index(name)] for name in (slower, faster))
    return compare(_draw(a, drawn, random) - _draw(b, drawn, random))


def among(rounds: Rounds, count: int, size: int = ROUNDS) -> Comparisons:
    """Replay `count` comparisons of twins: each draws `size` rounds, and in each of them two of the twins by chance.

    Which of two equal things bears which name is chance, so that their true ratio is exactly 1.
    """
    random = np.random.default_rng(SEED)
    twins, number, _ = rounds.logs.shape
    drawn = random.integers(number, size=(count, size))
    one = random.integers(twins, size=drawn.shape)
    other = (one + random.integers(1, twins, size=drawn.shape)) % twins
    flat = rounds.logs.reshape(twins * number, DRAWS)
    return compare(_draw(flat, one * number + drawn, random) - _draw(flat, other * number + drawn, random))


def _draw(logs: np.ndarray, drawn: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Return one of the resampled medians of each drawn run."""
    found: np.ndarray = logs[drawn, random.integers(DRAWS, size=drawn.shape)]
    return found


def compare(logs: np.ndarray) -> Comparisons:
    """Compare by the log ratios (comparisons, rounds): Student's interval, as analysis.interval computes it for one."""
    size = logs.shape[1]
    error = logs.std(axis=1, ddof=1) / np.sqrt(size)
    return Comparisons(logs.mean(axis=1), float(special.stdtrit(size - 1, 0.5 + CONFIDENCE / 2)) * error)
