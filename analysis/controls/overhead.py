"""The timing loop costs next to nothing

Passes when our clock shows at most 0.2 % and at most 20 µs a step more than a clock inside the same steps. In turns
with a bare loop, no interval may be wholly above 0.2 %, or wider than ±2 %.

In one process, short blocks of our loop alternate in random order with blocks of a bare one: two readings of the clock
around the steps and one wait. The first figure is of our own blocks: what our clock shows beside one that is read just
before the first step and just after the wait. It has no noise, and would miss what our loop does outside the clock and
what slows the steps down; that is what the second figure is for: the ratio of the two loops' blocks, turn by turn.
Which comes first in a turn is chance, so that ratios lie symmetrically around what the loop costs, and the mean of
their middle 60 % tells it (a trimmed mean, with the interval of Tukey and McLaughlin 1963): a turn in which somebody
took a core from one of the two does not count. Turns are made until that interval is narrow, up to four minutes. The
largest workload is ResNet50, of which every environment makes a step within seconds: the largest of all would take an
hour, and what is done once a block weighs even less there. An environment that does not answer these is asked for the
largest and the smallest of those before it that it answers.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import controls, units
from analysis.controls import Control, Line, evidence
from analysis.stats import interval
from analysis.stats.interval import Interval
from bench.controls import overhead

ORDER = 4
MEASURED = "overhead"
ABOUT = ("environment", "workload")
SERIES = ("ours_s", "within_s", "bare_s")
MOST_SHARE = 0.002
MOST_S = 20e-6


class LoopCost(NamedTuple):
    """What the loop costs in one environment on one workload."""

    environment: str
    workload: str
    step_s: float
    share: float  # of our block's time that is not in the steps and the wait
    added_s: float  # the same, per step
    ratio: Interval  # our blocks over bare ones

    @property
    def passes(self) -> bool | None:
        """Whether both figures are within what is allowed; None where the second is too uncertain to say so."""
        is_slower = self.ratio.low is not None and self.ratio.low > 1 + MOST_SHARE
        if self.share > MOST_SHARE or self.added_s > MOST_S or is_slower:
            return False
        return True if (self.ratio.half_width or 0.0) <= controls.WIDEST else None


def judge(lines: list[Line]) -> Control:
    """Judge each environment on each workload."""
    names = controls.titles(lines)
    costs = [cost(line, names) for line in controls.answers(lines) if line["status"] == "ok"]
    lost = controls.reasons(lines)
    if not costs:
        return Control(None, f"No environment could be asked: {lost[0][1]}." if lost else "Nothing was asked.")
    most, slowest = max(costs, key=lambda each: each.share), max(costs, key=lambda each: each.added_s)
    finding = (
        f"Around the same steps our clock shows at most {100 * most.share:.4f} % more ({most.environment}, "
        f"{most.workload}) and at most {1e6 * slowest.added_s:.2f} µs a step more. Of {len(costs)} ratios to a bare "
        f"loop, {sum(each.ratio.bounds[0] > 1 + MOST_SHARE for each in costs)} lie wholly above 0.2 %."
    )
    return Control(controls.all_of((each.passes for each in costs), lost), finding, _table(costs, lost))


def cost(line: Line, names: dict[str, str]) -> LoopCost:
    """Return what one line says of the loop's cost."""
    about, series = line["about"], line["series"]
    ours, within = (np.asarray(series[name]) for name in ("ours_s", "within_s"))
    block_s, added_s = float(np.median(ours)), float(np.median(ours - within))
    steps = max(1.0, float((series.get("steps") or [1])[0]))
    title = names.get(about["environment"], about["environment"])
    beside = ratio(series["ours_s"], series["bare_s"])
    return LoopCost(title, about["workload"], block_s / steps, added_s / block_s, added_s / steps, beside)


def ratio(ours_s: list[float], bare_s: list[float]) -> Interval:
    """Return the trimmed mean of our blocks' ratios to bare ones, with its interval."""
    centre, error, freedom = overhead.middle(overhead.logs(ours_s, bare_s))
    is_told = freedom >= interval.MIN_ROUNDS - 1
    return interval.of_error(centre, error if is_told else None, freedom, len(ours_s))


def _table(costs: list[LoopCost], lost: list[tuple[str, str]]) -> pd.DataFrame:
    rows = [
        (each.environment, each.workload, units.seconds(each.step_s), f"{100 * each.share:.4f} %",
         f"{1e6 * each.added_s:.3f} µs", controls.change(each.ratio), str(each.ratio.rounds),
         controls.VERDICTS[each.passes])
        for each in costs
    ]  # fmt: skip
    rows += [(name, "", "", "", "", reason, "", controls.VERDICTS[None]) for name, reason in lost]
    return evidence(rows, "environment", "workload", "step", "around the same steps", "a step",
                    "beside a bare loop (99 % interval)", "turns", "verdict")  # fmt: skip
