"""Has a run reached its steady state? Rule 4 of the protocol, on the raw blocks."""

from typing import NamedTuple, Optional, Sequence

import numpy as np

WINDOW_STEPS = 20
TOLERANCES = {"gpu": 0.01, "cpu": 0.03}
FEWEST_WINDOWS = 4
FEWEST_BLOCKS = 3  # a median of three ignores one slow block


class Steadiness(NamedTuple):
    """`is_steady` is None when the run is too short to tell; `start` counts blocks; `drift` is relative."""

    is_steady: Optional[bool]
    start: Optional[int]
    drift: Optional[float]


def window(blocks: int, steps_per_block: int) -> Optional[int]:
    """Return how many blocks hold WINDOW_STEPS steps: fewer where long steps would leave too few windows, or None."""
    width = max(1, -(-WINDOW_STEPS // steps_per_block))
    if blocks >= FEWEST_WINDOWS * width:
        return width
    width = blocks // FEWEST_WINDOWS
    return width if width >= FEWEST_BLOCKS else None


def window_medians(block_s: Sequence[float], width: int) -> np.ndarray:
    """Return the median block time of each full window of `width` blocks."""
    count = len(block_s) // width
    return np.median(np.reshape(block_s[: count * width], (count, width)), axis=1)


def theil_sen(values: np.ndarray) -> float:
    """Return the median of the slopes between all pairs of equally spaced values (Sen 1968), per step."""
    i, j = np.triu_indices(len(values), 1)
    return float(np.median((values[j] - values[i]) / (j - i)))


def judge(block_s: Sequence[float], steps_per_block: int, device: str) -> Steadiness:
    """Return whether, and from which block on, every window median lies within the device's tolerance.

    The reference is the median of the last half. A run is steady when the windows settle before the last half begins,
    and the Theil-Sen drift over that half stays under the tolerance too.
    """
    width = window(len(block_s), steps_per_block)
    if width is None:
        return Steadiness(None, None, None)
    medians = window_medians(block_s, width)
    tolerance = TOLERANCES[device]
    half = medians[len(medians) // 2 :]
    reference = float(np.median(half))
    drift = theil_sen(half) * (len(half) - 1) / reference
    outside = np.flatnonzero(np.abs(medians / reference - 1) > tolerance)
    start = int(outside[-1]) + 1 if len(outside) else 0
    return Steadiness(bool(start <= len(medians) // 2 and abs(drift) <= tolerance), start * width, drift)
