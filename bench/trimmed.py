"""The trimmed mean of the ratios of two loops' blocks: what one odd turn of a shared machine cannot move."""

import math
from typing import List, NamedTuple, Sequence

import numpy as np

TRIMMED = 0.2  # of all turns, at either end


class Middle(NamedTuple):
    """The mean of the middle of some numbers, and how far it may be off."""

    centre: float
    error: float
    freedom: int


def middle(values: Sequence[float]) -> Middle:
    """Return the mean of what is left of numbers when TRIMMED of them are cut at either end.

    Its standard error is that of Tukey and McLaughlin (Sankhya A 25, 1963): from all of them, those cut drawn in.
    """
    ordered = np.sort(np.asarray(values))
    cut = int(TRIMMED * len(ordered))
    kept = ordered[cut : len(ordered) - cut]
    drawn_in = np.clip(ordered, kept[0], kept[-1])
    error = np.std(drawn_in, ddof=1) * math.sqrt(len(ordered)) / len(kept)
    return Middle(float(np.mean(kept)), float(error), len(kept) - 1)


def logs(ours_s: Sequence[float], bare_s: Sequence[float]) -> List[float]:
    """Return the logarithm of the ratio of both loops' blocks, turn by turn."""
    return [float(each) for each in np.log(np.asarray(ours_s) / np.asarray(bare_s))]
