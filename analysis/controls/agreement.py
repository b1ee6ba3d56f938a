"""Our times agree with the frameworks' own

Passes when each environment's own timer, and its own ResNet-50, differ from ours by at most 1 %. Twice the half-width
of the interval is also accepted. What a framework does not have is named, and not judged.

In one process, blocks of our loop alternate in random order with the framework's own way to time the same program, and
our ResNet50 with the one that the framework brings along. A training loop of a framework does more than step (it feeds
batches, calls back and keeps averages), so a disagreement may be its cost and not our error: both times are shown.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import controls, units
from analysis.controls import Control, Line, evidence
from analysis.stats.interval import Interval

ORDER = 5
MEASURED = "agreement"
ABOUT = ("environment",)
SERIES = ("ours_s", "theirs_s")
WITHIN = 0.01


class Agreement(NamedTuple):
    """One of our times beside the framework's own."""

    environment: str
    name: str  # of what it is held against
    workload: str
    ours_s: float
    theirs_s: float
    ratio: Interval  # theirs over ours

    @property
    def passes(self) -> bool:
        """Whether the two agree."""
        return abs(self.ratio.value - 1) <= max(WITHIN, 2 * (self.ratio.half_width or 0.0))


def judge(lines: list[Line]) -> Control:
    """Judge each timer and each network of a framework's own."""
    names = controls.titles(lines)
    found = [agreement(line, names) for line in controls.answers(lines) if line["status"] == "ok"]
    lost = controls.reasons(lines)
    lacking = [(names.get(name, name), reason) for name, reason in controls.lacking(lines)]
    if not found:
        return Control(None, f"Nothing could be compared: {lost[0][1]}." if lost else "No framework has a timer here.")
    farthest = max(found, key=lambda each: abs(each.ratio.value - 1))
    finding = (
        f"{sum(each.passes for each in found)} of {len(found)} agree. The farthest apart is {farthest.name} of "
        f"{farthest.environment}: {controls.change(farthest.ratio)} against ours."
    )
    passes = controls.all_of((each.passes for each in found), lost)
    return Control(passes, finding, _table(found, lost, lacking))


def agreement(line: Line, names: dict[str, str]) -> Agreement:
    """Return what one line says."""
    about, series = line["about"], line["series"]
    ours, theirs = (float(np.median(series[name])) for name in ("ours_s", "theirs_s"))
    title = names.get(about["environment"], about["environment"])
    ratio = controls.paired(series["theirs_s"], series["ours_s"])
    return Agreement(title, about.get("name", ""), about.get("workload", ""), ours, theirs, ratio)


def _table(found: list[Agreement], lost: list[tuple[str, str]], lacking: list[tuple[str, str]]) -> pd.DataFrame:
    rows = [
        (each.environment, each.name, each.workload, units.seconds(each.ours_s), units.seconds(each.theirs_s),
         controls.change(each.ratio), str(each.ratio.rounds), controls.VERDICTS[each.passes])
        for each in found
    ]  # fmt: skip
    rows += [(name, reason, "", "", "", "", "", controls.VERDICTS[None]) for name, reason in lost]
    rows += [(name, reason, "", "", "", "", "", controls.NOT_APPLICABLE) for name, reason in lacking]
    return evidence(rows, "environment", "beside", "workload", "our step", "their step",
                    "theirs against ours (99 % interval)", "turns", "verdict")  # fmt: skip
