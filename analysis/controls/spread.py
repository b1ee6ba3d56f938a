"""Two names for one program lie close together

Passes when, in the steadiest environment, the ratio of two names for one program has a standard deviation between
rounds of at most 0.8 %.

In every environment, two names stand for the training steps of the lightest workload. All names take turns in the same
rounds, and void rounds are repeated, as in every campaign. A disturbance of both names of a round alike cancels in
their ratio. The rest, between rounds, decides how many rounds a pair of competitors needs. The control with planted
slow-downs measures the environment with the smallest spread; this rule is fixed in advance. At 0.8 %, the interval of
ten rounds reaches 0.8 % to either side, so a difference of 3 % is claimed. Half a percentage point is then more than
three standard errors of twenty rounds against the mean of five twins. If even the steadiest environment is noisier, a
control that fails may say more about the machine than about the method. Few rounds give a rough spread.
"""

import numpy as np

from analysis import controls, units
from analysis.controls import Control, evidence
from analysis.stats import interval
from bench.results import spread
from bench.results.lines import Line

ORDER = 0
MEASURED = "spread"
MOST = 0.008


def judge(lines: list[Line]) -> Control:
    """Judge the smallest spread of all environments."""
    names, times = controls.titles(lines), spread.times(lines)
    enough = [name for name, rounds in times.items() if len(rounds) >= interval.MIN_ROUNDS]
    spreads = {name: value for name, value in spread.spreads(lines).items() if name in enough}
    lost = [(run.case.environment.rpartition("-")[0], f"{run.status}: {run.reason}")
            for run in controls.runs(lines) if run.status != "ok"]  # fmt: skip
    if not spreads:
        reason = f": {lost[0][1]}" if lost else ""
        return Control(None, f"No environment has enough rounds of two names for the lightest workload{reason}.")
    steadiest, least = next(iter(spreads.items()))
    finding = (
        f"The steadiest is {names.get(steadiest, steadiest)}: from round to round, the ratio of its two names differs "
        f"by {controls.percent(least)}."
    )
    rows = [
        (names.get(name, name), str(len(times[name])), units.seconds(float(np.median(list(times[name].values())))),
         controls.percent(value), controls.change(controls.paired(*zip(*times[name].values(), strict=True))),
         "chosen" if name == steadiest else "")
        for name, value in spreads.items()
    ]  # fmt: skip
    rows += [(names.get(name, name), "", "", reason, "", "") for name, reason in lost]
    table = evidence(rows, "environment", "rounds", "step", "standard deviation between rounds",
                     "one name against the other (99 % interval)", "for twins")  # fmt: skip
    return Control(least <= MOST, finding, table)
