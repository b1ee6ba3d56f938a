"""Watching the machine's state costs next to nothing

Passes when the sampler takes at most 0.5 % of one core in every run, and no interval says that steps beside it take
more than 0.5 % longer; an interval wider than ±2 % says too little to pass.

One program is measured in rounds, in random order, once with the sampler running beside it, as in every campaign, and
once without one, so that no rule can make a round void. The first figure is the sampler's own processor time over each
run, by the system's account; the second is what it does to the steps: the ratio of both times, round by round.
"""

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from analysis import control, drawing, interval
from analysis.control import Control, Line
from analysis.drawing import Picture
from analysis.interval import Interval
from analysis.lesson import evidence
from bench import records
from bench.controls.sampler import ALONE, SAMPLED

ORDER = 8
MEASURED = "sampler"
MOST_SHARE = 0.005


def judge(lines: list[Line]) -> Control:
    """Judge the sampler's share of a core, and the steps beside it."""
    costs = shares(lines)
    times = {name: control.medians(own) for name, own in control.blocks(lines).items()}
    ratios = interval.paired(times.get(SAMPLED, {}), times.get(ALONE, {}))
    if not costs:
        return Control(None, "No run says what the sampler took: nothing can be sampled on this machine.")
    if len(ratios) < interval.MIN_ROUNDS:
        return Control(None, "Too few rounds for an interval.")
    ratio = interval.mean(ratios)
    most = max(costs)
    finding = (
        f"The sampler took at most {control.percent(most)} of one core. Steps beside it take "
        f"{control.change(ratio)} against steps without it."
    )
    table = evidence(
        [("share of one core", f"{control.percent(min(costs))} to {control.percent(most)}", str(len(costs))),
         ("steps beside it (99 % interval)", control.change(ratio), str(ratio.rounds))],
        "cost", "found", "runs or rounds",
    )  # fmt: skip
    fails = most > MOST_SHARE or ratio.bounds[0] > 1 + MOST_SHARE
    if not fails and (ratio.half_width or 0.0) > control.WIDEST:
        finding += " That is too wide to say that it costs next to nothing."
        return Control(None, finding, table, _picture(times, ratio))
    return Control(not fails, finding, table, _picture(times, ratio))


def shares(lines: list[Line]) -> list[float]:
    """Return the sampler's processor time in each run that it watched, as a share of one core."""
    states = [run.get("machine_state") for run in records.of_kind(lines, "run")]
    known = [state["sampler_share"] for state in states if state]
    return [share for share in known if share is not None]


def _picture(times: dict[str, dict[int, float]], ratio: Interval) -> Picture:
    rows = [(name, number, 1e6 * step_s) for name, own in sorted(times.items()) for number, step_s in own.items()]
    data = pd.DataFrame(rows, columns=["sampler", "round", "step_us"])
    with drawing.style():
        figure = Figure(figsize=(drawing.WIDTH, drawing.height(9)))
        axes = figure.subplots()
        sns.lineplot(
            data, x="round", y="step_us", hue="sampler", style="sampler", markers=True, palette="colorblind", ax=axes
        )
        sns.move_legend(axes, "upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        axes.set(xlabel="round", ylabel="step (µs)", title=f"Beside the sampler: {control.change(ratio)}")
        axes.grid(True, axis="y")
    return Picture(figure, data, f"Steps beside the sampler and alone, round by round: {control.change(ratio)}")
