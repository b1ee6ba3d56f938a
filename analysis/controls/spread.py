"""Runs of one program lie close together

Passes when the runs of the steadiest environment have a standard deviation of at most 0.8 %.

The lightest workload is measured some times in every environment, each time in a process of its own, all in random
order. The environment with the smallest standard deviation of the logarithms of its runs' medians is what the controls
with twins and planted slow-downs measure: this rule stands before any of them. At 0.8 %, half a percentage point is two
and a half standard errors of twenty rounds against the mean of five twins; where even the steadiest environment is
noisier, a control that fails may say more about the machine than about the method. Few runs tell a spread roughly.
"""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from analysis import control, drawing, words
from analysis.control import Control, Line
from analysis.drawing import Picture
from analysis.lesson import evidence
from bench.controls import spread

ORDER = 0
MEASURED = "spread"
ABOUT = ("environment",)
SERIES = ("step_s",)
MOST = 0.008


def judge(lines: list[Line]) -> Control:
    """Judge the smallest spread of all environments."""
    names, found, medians = control.titles(lines), spread.spreads(lines), spread.medians(lines)
    lost = list(control.reasons(lines))
    if not found:
        reason = f": {lost[0][1]}" if lost else ""
        return Control(None, f"No environment has two runs of the lightest workload{reason}.")
    steadiest, least = next(iter(found.items()))
    finding = f"The steadiest is {names.get(steadiest, steadiest)}: its runs differ by {control.percent(least)}."
    rows = [
        (names.get(name, name), str(len(medians[name])), words.seconds(float(np.median(medians[name]))),
         control.percent(own), "chosen" if name == steadiest else "")
        for name, own in found.items()
    ]  # fmt: skip
    rows += [(names.get(name, name), "", "", reason, "") for name, reason in lost]
    table = evidence(rows, "environment", "runs", "step", "standard deviation between runs", "for twins")
    picture = _picture([(control.cell(names.get(name, name)), medians[name]) for name in found])
    return Control(least <= MOST, finding, table, picture)


def _picture(medians: list[tuple[str, list[float]]]) -> Picture:
    rows = [(name, 100 * (value / float(np.median(own)) - 1)) for name, own in medians for value in own]
    data = pd.DataFrame(rows, columns=["environment", "apart"])
    with drawing.style():
        figure = Figure(figsize=(drawing.WIDTH, drawing.height(len(medians))))
        axes = figure.subplots()
        axes.axvline(0, color=drawing.INK, linewidth=0.8)
        sns.stripplot(data, x="apart", y="environment", ax=axes, color=control.BLUE, jitter=False, size=5)
        axes.set(xlabel="runs beside their median (%)", ylabel="", title="Runs of one program")
    told = "; ".join(f"{name} {min(own):.3g} to {max(own):.3g} s" for name, own in medians)
    return Picture(figure, data, f"Runs of one program in each environment, steps of {told}")
