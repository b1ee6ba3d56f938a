"""Our times agree with the frameworks' own

Passes when each environment's own timer, and its own ResNet-50, differ from ours by at most 1 %. Twice the half-width
of the interval is also accepted. What a framework does not have is named, and not judged.

In one process, blocks of our loop alternate in random order with the framework's own way to time the same program. The
same is done for our ResNet-50 and the one that the framework provides. A framework's training loop does more than step:
it feeds batches, calls back and keeps averages. A disagreement may therefore be its cost and not our error, so both
times are shown.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import controls, units
from analysis.controls import Control, evidence
from analysis.stats.interval import Interval
from bench.results.lines import Control as Measured
from bench.results.lines import Line

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
    pairs = [_agreement(line, names) for line in controls.answers(lines) if line.status == "ok"]
    lost = controls.reasons(lines)
    if not pairs:
        return Control(None, f"Nothing could be compared: {lost[0][1]}." if lost else "No framework has a timer here.")
    farthest = max(pairs, key=lambda pair: abs(pair.ratio.value - 1))
    finding = (
        f"{sum(pair.passes for pair in pairs)} of {len(pairs)} agree. The farthest apart is {farthest.name} of "
        f"{farthest.environment}: {controls.change(farthest.ratio)} against ours."
    )
    passes = controls.all_of((pair.passes for pair in pairs), lost)
    return Control(passes, finding, _table(pairs, lost, controls.lacking(lines)))


def _agreement(line: Measured, names: dict[str, str]) -> Agreement:
    ours_s, theirs_s = (line.series[name] for name in SERIES)
    about, ratio = line.about, controls.paired(theirs_s, ours_s)
    return Agreement(controls.titled(names, line), about.get("name", ""), about.get("workload", ""),
                     float(np.median(ours_s)), float(np.median(theirs_s)), ratio)  # fmt: skip


def _table(pairs: list[Agreement], lost: list[tuple[str, str]], lacking: list[tuple[str, str]]) -> pd.DataFrame:
    rows = [
        (pair.environment, pair.name, pair.workload, units.seconds(pair.ours_s), units.seconds(pair.theirs_s),
         controls.change(pair.ratio), str(pair.ratio.rounds), controls.VERDICTS[pair.passes])
        for pair in pairs
    ]  # fmt: skip
    for verdict, unmeasured in ((controls.VERDICTS[None], lost), (controls.NOT_APPLICABLE, lacking)):
        rows += [(name, reason, "", "", "", "", "", verdict) for name, reason in unmeasured]
    return evidence(rows, "environment", "beside", "workload", "our step", "their step",
                    "theirs against ours (99 % interval)", "turns", "verdict")  # fmt: skip
