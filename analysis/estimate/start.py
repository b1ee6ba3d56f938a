"""What passes until the first epoch of a training ends: import, build, first step, and the rest of that epoch."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from analysis.estimate.cells import median

CACHES = ("cold", "warm")  # compiler caches emptied before the run, or as an earlier run left them
Parts = Mapping[str, float | None]  # cache -> seconds


class Start(NamedTuple):
    """The parts of a start in seconds, medians over runs; what the framework's own loop hides is None."""

    import_s: float | None
    build_s: float | None  # model and optimiser, weights, placing the weights
    first_step_s: Parts  # of the first epoch
    first_epoch_s: Parts
    later_s: float | None  # an epoch after the first; None where there is none

    @property
    def more_s(self) -> Parts:
        """What the first epoch takes more than a later one, however long that is."""
        return {cache: _sum(self.first_epoch_s[cache], self.later_s, -1) for cache in CACHES}

    @property
    def rest_s(self) -> Parts:
        """The first epoch without its first step."""
        return {cache: _sum(self.first_epoch_s[cache], self.first_step_s[cache], -1) for cache in CACHES}

    @property
    def whole_s(self) -> Parts:
        """From the start of the process to the end of the first epoch."""
        before = _sum(self.import_s, self.build_s)
        return {cache: _sum(before, self.first_epoch_s[cache]) for cache in CACHES}


def _sum(value: float | None, other: float | None, sign: int = 1) -> float | None:
    return None if value is None or other is None else value + sign * other


def start_of(rows: pd.DataFrame) -> Start:
    """Return the parts of the start of one competitor's runs over a data set."""
    import_s, build_s = (median(rows[name].tolist()) for name in ("import_s", "build_s"))
    first_epoch_s = [seconds[0] for seconds in rows["epoch_s"]]
    later_s = median([each for seconds in rows["epoch_s"] for each in seconds[1:]])
    first_step_s = _by_cache(rows, rows["first_step_s"].tolist())
    return Start(import_s, build_s, first_step_s, _by_cache(rows, first_epoch_s), later_s)


def _by_cache(rows: pd.DataFrame, seconds: Sequence[float | None]) -> Parts:
    both = list(zip(rows["cache"], seconds, strict=True))
    return {kind: median([value for cache, value in both if cache == kind]) for kind in CACHES}
