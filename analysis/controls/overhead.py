"""The timing loop costs next to nothing

Passes when our clock shows at most 0.2 % and at most 20 µs a step more than a clock inside the same steps. In turns
with a bare loop, no interval may be wholly above 0.2 %, or wider than ±2 %.

Short blocks of our loop alternate in random order with blocks of a bare loop: two readings of the clock
and one wait. The first figure compares our clock with a clock inside our own blocks, from just before the first step to
just after the wait. It has no noise, but it misses what our loop does outside the clock, and what slows the steps down.
The second figure shows these: the ratio of the two loops' blocks, turn by turn. The order within a turn is random, so
ratios lie symmetrically around the cost of the loop. Their trimmed mean (the middle 60 %; interval of Tukey and
McLaughlin 1963) estimates it. A turn in which another process took a core from one of the two has little weight. Turns
are made until that interval is narrow, up to four minutes. The largest workload is ResNet-50, because every environment
makes a step of it within seconds. The largest of all would take an hour, and work once per block weighs even less
there. An environment that does not answer these is asked for the largest and the smallest of those before it that it
answers.
"""

from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import controls, units
from analysis.controls import Control, evidence
from analysis.stats import interval
from bench import trimmed
from bench.results.lines import Control as Measured
from bench.results.lines import Line

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
    ratio: interval.Interval  # our blocks over bare ones

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
    costs = [_cost(line, names) for line in controls.answers(lines) if line.status == "ok"]
    lost = controls.reasons(lines)
    if not costs:
        return Control(None, f"No environment could be asked: {lost[0][1]}." if lost else "Nothing was asked.")
    most, most_s = max(costs, key=lambda cost: cost.share), max(cost.added_s for cost in costs)
    finding = (
        f"Around the same steps our clock shows at most {100 * most.share:.4f} % more ({most.environment}, "
        f"{most.workload}) and at most {1e6 * most_s:.2f} µs a step more. Of {len(costs)} ratios to a bare "
        f"loop, {sum(cost.ratio.bounds[0] > 1 + MOST_SHARE for cost in costs)} lie wholly above 0.2 %."
    )
    return Control(controls.all_of((cost.passes for cost in costs), lost), finding, _table(costs, lost))


def _cost(line: Measured, names: dict[str, str]) -> LoopCost:
    ours_s, within_s, bare_s = (line.series[name] for name in SERIES)
    block_s, added_s = float(np.median(ours_s)), float(np.median(np.subtract(ours_s, within_s)))
    steps = max(1.0, *line.series.get("steps", [])[:1])
    return LoopCost(controls.titled(names, line), line.about["workload"], block_s / steps, added_s / block_s,
                    added_s / steps, ratio(ours_s, bare_s))  # fmt: skip


def ratio(ours_s: list[float], bare_s: list[float]) -> interval.Interval:
    """Return the trimmed mean of our blocks' ratios to bare ones, with its interval."""
    centre, error, freedom = trimmed.middle(trimmed.logs(ours_s, bare_s))
    is_told = freedom >= interval.MIN_ROUNDS - 1
    return interval.of_error(centre, error if is_told else None, freedom, len(ours_s))


def _table(costs: list[LoopCost], lost: list[tuple[str, str]]) -> pd.DataFrame:
    rows = [
        (cost.environment, cost.workload, units.seconds(cost.step_s), f"{100 * cost.share:.4f} %",
         f"{1e6 * cost.added_s:.3f} µs", controls.change(cost.ratio), str(cost.ratio.rounds),
         controls.VERDICTS[cost.passes])
        for cost in costs
    ]  # fmt: skip
    rows += [(name, "", "", "", "", reason, "", controls.VERDICTS[None]) for name, reason in lost]
    return evidence(rows, "environment", "workload", "step", "around the same steps", "a step",
                    "beside a bare loop (99 % interval)", "turns", "verdict")  # fmt: skip
