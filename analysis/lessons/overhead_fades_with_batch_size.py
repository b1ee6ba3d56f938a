"""Framework overhead fades as the batch grows

Between the smallest and the largest batch of a workload, the spread between environments shrinks: arithmetic grows with
the batch, a framework's overhead does not. The spread is the slowest time per step over the fastest, among default
modes, within each round.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from analysis import units
from analysis.lessons import Lesson, evidence, undecided, verdict_of_all, verdicts
from analysis.load.table import QUESTION, Results
from analysis.plugins import title
from analysis.stats import interval
from analysis.stats.interval import Interval

ORDER = 2
TITLE = title(__doc__)
COLUMNS = (
    "workload",
    "question",
    "environments",
    "batch sizes",
    "spread, small batch",
    "spread, large batch",
    "ratio of spreads",
    "99 % interval",
    "rounds",
    "verdict",
)
KEYS = ["machine", *(name for name in QUESTION if name != "batch_size")]

Rounds = dict[int, dict[str, float]]  # round -> environment -> seconds per step


class Fading(NamedTuple):
    """The spread of one workload at its smallest over that at its largest batch size."""

    names: tuple[str, str]
    sizes: tuple[int, int]
    environments: int
    small: float
    large: float
    ratios: list[float]  # spread at the smallest over spread at the largest, by round

    @property
    def ratio(self) -> Interval:
        """The ratios' geometric mean and interval."""
        return interval.mean(self.ratios)


def judge(results: Results) -> Lesson:
    """Judge each workload that has two batch sizes, then all of them together."""
    runs = results.runs[(results.runs["is_default"] == True) & results.runs["step_s"].notna()]  # noqa: E712
    found = [each for _, rows in runs.groupby(KEYS) if (each := _fading(rows)) is not None]
    if not found:
        return undecided(TITLE, "no workload was measured at two batch sizes by the same two environments")
    judged = verdicts([each.ratios for each in found])
    claim = " ".join(_sentence(each) for each in found)
    together = verdict_of_all(judged)
    reason = (
        f"{judged.count('undecided')} of {units.count(len(found), 'contrast')} not resolved"
        if together == "undecided"
        else None
    )
    return Lesson(TITLE, claim, together, _table(found, judged), reason)


def _fading(runs: pd.DataFrame) -> Fading | None:
    sizes = sorted(int(size) for size in runs["batch_size"].unique())
    if len(sizes) < 2:
        return None
    small, large = (_by_round(runs[runs["batch_size"] == size]) for size in (sizes[0], sizes[-1]))
    shared = _environments(small) & _environments(large)
    spreads = [_spread(each, shared) for each in (small, large)]
    ratios = interval.paired(*spreads)
    if len(shared) < 2 or not ratios:
        return None
    first = runs.iloc[0]
    names = (units.workload_title(first["workload"]), f"{first['task']} · {first['optimizer']}")
    means = [interval.geometric_mean(list(each.values())) for each in spreads]
    return Fading(names, (sizes[0], sizes[-1]), len(shared), means[0], means[1], ratios)


def _by_round(runs: pd.DataFrame) -> Rounds:
    """Return seconds per step."""
    found: Rounds = {}
    columns = (runs[name].tolist() for name in ("round", "environment", "step_s"))
    for number, environment, step_s in zip(*columns, strict=True):
        found.setdefault(int(number), {})[environment] = float(step_s)
    return found


def _environments(rounds: Rounds) -> set[str]:
    return {name for times in rounds.values() for name in times}


def _spread(rounds: Rounds, environments: set[str]) -> dict[int, float]:
    """Return slowest / fastest by round, of the rounds in which each of these environments has a time."""
    whole = {number: [times[name] for name in environments]
             for number, times in rounds.items() if environments <= times.keys()}  # fmt: skip
    return {number: max(times) / min(times) for number, times in whole.items() if times}


def _sentence(each: Fading) -> str:
    name, question = each.names
    return (
        f"{name} ({question}): the slowest of {each.environments} environments takes {units.factor(each.small)} times "
        f"as long as the fastest at batch size {each.sizes[0]}, and {units.factor(each.large)} times at "
        f"{each.sizes[1]}."
    )


def _table(found: Sequence[Fading], judged: Sequence[str]) -> pd.DataFrame:
    rows = [
        (*_cells(each), *units.ratio_cells(each.ratio), verdict) for each, verdict in zip(found, judged, strict=True)
    ]
    return evidence(rows, *COLUMNS)


def _cells(each: Fading) -> tuple[str, ...]:
    sizes = f"{each.sizes[0]} to {each.sizes[1]}"
    return *each.names, str(each.environments), sizes, units.factor(each.small), units.factor(each.large)
