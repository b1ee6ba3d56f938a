"""Who waits for his turn disturbs nobody

Passes when each interval of what sleeping competitors do to a step, one environment's or all of them together, lies
within ±1 %; fails when one lies wholly beyond.

The training steps of the lightest workload in the steadiest environment are measured beside the same workload in each
environment, ready for its turns and asleep, that take none. Between two blocks of the one, all sleepers but one are
stopped by a signal, so that no thread of theirs can spin and no compiler of theirs work on; or all are, which is
"beside nobody"; or none. Each turn is a block under each of these conditions, in random order. A round is a fresh
process of each, and gives a ratio: of the lower deciles of the blocks beside a sleeper and beside nobody. What
sleepers hold of the memory they hold in both, so that what that costs is not seen; nor is what a competitor leaves
behind that has just made its block.
"""

from typing import NamedTuple

import pandas as pd

from analysis import controls, units
from analysis.controls import Control, Line, evidence
from analysis.figures.style import Picture
from analysis.stats import interval
from analysis.stats.interval import Interval
from bench import records
from bench.controls.sleepers import ALL, NOBODY

ORDER = 9
MEASURED = "sleepers"
ABOUT = ("environment", "workload")
SERIES = (NOBODY,)
WITHIN = 0.01


class Disturbed(NamedTuple):
    """What one sleeper does to the steps of the program that is awake, or all of them."""

    name: str
    ratio: Interval

    @property
    def passes(self) -> bool | None:
        """Whether it disturbs nobody; None where that cannot be told."""
        low, high = self.ratio.bounds
        if self.ratio.low is None:
            return None
        if low > 1 + WITHIN or high < 1 - WITHIN:
            return False
        return True if low >= 1 - WITHIN and high <= 1 + WITHIN else None


def judge(lines: list[Line]) -> Control:
    """Judge each sleeper, and all of them together."""
    names, lost = controls.titles(lines), controls.reasons(lines)
    rounds = [line for line in controls.answers(lines) if line["status"] == "ok"]
    sleepers = sorted({name for line in rounds for name in line["series"]} - {NOBODY, ALL})
    ratios = {name: [beside / alone for beside, alone in controls.switched(rounds, name, NOBODY)]
              for name in [*sleepers, ALL]}  # fmt: skip
    found = [Disturbed(names.get(name, name), interval.mean(own)) for name, own in ratios.items() if own]
    if not found:
        return Control(None, f"No round was measured: {lost[0][1]}." if lost else "No round was measured.")
    most = max(found, key=lambda each: abs(each.ratio.value - 1))
    disturbing = [each.name for each in found if each.passes is False]
    about = rounds[0]["about"]
    told = f"{', '.join(disturbing)} disturb{'s' if len(disturbing) == 1 else ''}." if disturbing else (
        "Nobody disturbs." if all(each.passes for each in found) else "Nobody is known to disturb.")  # fmt: skip
    finding = (
        f"Steps of {about['workload']} in {names.get(about['environment'], about['environment'])} beside sleepers: "
        f"the most is {controls.change(most.ratio)}, beside {most.name}. {told}"
    )
    passes = controls.all_of((each.passes for each in found), lost)
    return Control(passes, finding, _table(rounds, found, [(names.get(each, each), why) for each, why in lost]),
                   _picture(about["environment"], found))  # fmt: skip


def _table(rounds: list[Line], found: list[Disturbed], lost: list[tuple[str, str]]) -> pd.DataFrame:
    alone = [records.lower_decile(line["series"][NOBODY]) for line in rounds]
    rows = [("nobody", units.seconds(interval.geometric_mean(alone)), "", str(len(alone)), "")]
    rows += [
        (each.name, "", controls.change(each.ratio), str(each.ratio.rounds), controls.VERDICTS[each.passes])
        for each in found
    ]
    rows += [(name, reason, "", "", controls.VERDICTS[None]) for name, reason in lost]
    return evidence(rows, "asleep beside it", "step", "change (99 % interval)", "rounds", "verdict")


def _picture(environment: str, found: list[Disturbed]) -> Picture:
    rows = [(environment, f"beside {each.name}", each.ratio) for each in found]
    return controls.forest(rows, "beside", "step beside sleepers (%)", (-100 * WITHIN, 100 * WITHIN))
