"""Taking turns removes the bias of a machine that changes

Passes when twins that are measured one after the other seem to differ, by an interval that excludes 1, and twins that
are measured in turns do not.

Two names stand for one program, which runs on one core, while another process shares that core in waves: beside as many
runs as one name has, then beside none of as many. First all runs of one name are made and then all of the other, as a
script would that measures one framework after the other; then as many in rounds, in each of which both names are alive
and take turns: beside the first half of these rounds the load works, beside the rest it does not. Both arms are
compared by the same formula, run by run and round by round. Being disturbed is what is tested: no round is void here.
"""

import pandas as pd
from matplotlib.figure import Figure

from analysis import controls
from analysis.controls import Control, Line, evidence
from analysis.figures import style
from analysis.figures.style import Picture
from analysis.stats import interval
from analysis.stats.interval import Interval

ORDER = 7
MEASURED = "order"
ARMS = ("sequential", "interleaved")


def judge(lines: list[Line]) -> Control:
    """Compare the twins of both arms."""
    times = controls.times(controls.timed(lines))
    ratios = {arm: _ratios(times, arm) for arm in ARMS}
    if min(len(each) for each in ratios.values()) < interval.MIN_ROUNDS:
        return Control(None, "Too few rounds for an interval.")
    found = {arm: interval.mean(each) for arm, each in ratios.items()}
    claims = {arm: interval.claim(found[arm], interval.p_value(ratios[arm])) for arm in ARMS}
    shows, removes = (_excludes_one(found[arm]) for arm in ARMS)
    finding = (
        f"Measured one after the other, one name for a program takes {controls.change(found['sequential'])} against "
        f"the other; in turns, {controls.change(found['interleaved'])}."
    )
    passes = shows and not removes if shows or removes else None
    if passes is None:
        finding += " The load has biased neither: this says nothing about the order."
    rows = [(arm, controls.change(found[arm]), str(found[arm].rounds), claims[arm]) for arm in ARMS]
    table = evidence(rows, "order", "difference found (99 % interval)", "runs of each", "would be claimed")
    return Control(passes, finding, table, _picture(times, found))


def _excludes_one(ratio: Interval) -> bool:
    low, high = ratio.bounds
    return low > 1 or high < 1


def _ratios(times: dict[str, dict[int, float]], arm: str) -> list[float]:
    return interval.paired(times.get(f"{arm}-a", {}), times.get(f"{arm}-b", {}))


def _picture(times: dict[str, dict[int, float]], found: dict[str, Interval]) -> Picture:
    rows = [
        (arm, twin, number, 1e3 * step_s)
        for arm in ARMS for twin in "ab" for number, step_s in times[f"{arm}-{twin}"].items()
    ]  # fmt: skip
    data = pd.DataFrame(rows, columns=["order", "name", "run", "step_ms"])
    with style.style():
        figure = Figure(figsize=(style.WIDTH, style.height(9)))
        panels = figure.subplots(1, 2, sharey=True)
        for axes, arm in zip(panels, ARMS, strict=True):
            controls.series(data[data["order"] == arm], "run", "step_ms", "name", axes)
            axes.set(xlabel="run", ylabel="step (ms)", title=f"{arm.capitalize()}: {controls.change(found[arm])}")
    sentence = "; ".join(f"{arm}: {controls.change(found[arm])}" for arm in ARMS)
    return Picture(figure, data, f"Twins on a machine loaded in waves, {sentence}")
