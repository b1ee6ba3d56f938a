"""Watching the machine's state costs next to nothing

Passes when the sampler takes at most 0.5 % of one core in every run, and no interval says that steps beside it take
more than 0.5 % longer; an interval wider than ±2 % says too little to pass.

One program is measured in rounds, each of them a fresh process with a sampler of its own, as every campaign has one.
The first figure is the sampler's own processor time while the program starts, by the system's account. Then the sampler
is stopped and let go on by a signal between the program's blocks: each turn is a block with it and one without, in
random order, so that both are of one process and a moment apart. The second figure is the ratio of the lower deciles
of both, round by round. A sampler that goes on takes a sample at once, so that blocks beside it meet more samples than
those of a campaign.
"""

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from analysis import controls
from analysis.controls import Control, Line, evidence
from analysis.figures import style
from analysis.figures.style import Picture
from analysis.stats import interval
from analysis.stats.interval import Interval
from bench import records
from bench.controls.sampler import ALONE, SAMPLED, SHARE

ORDER = 8
MEASURED = "sampler"
ABOUT = ("environment",)
MOST_SHARE = 0.005


def judge(lines: list[Line]) -> Control:
    """Judge the sampler's share of a core, and the steps beside it."""
    if records.of_kind(lines, "run"):
        return controls.measured_before(MEASURED)
    said = records.of_kind(lines, "control")
    rounds = controls.switched(said, SAMPLED, ALONE)
    costs = [share for line in said for share in line["series"].get(SHARE, [])]
    if len(rounds) < interval.MIN_ROUNDS:
        return Control(None, "Too few rounds for an interval.")
    if not costs:
        return Control(None, "No run says what the sampler took: nothing can be sampled on this machine.")
    ratio = interval.mean([sampled / alone for sampled, alone in rounds])
    most = max(costs)
    finding = (
        f"The sampler took at most {controls.percent(most)} of one core. Steps beside it take "
        f"{controls.change(ratio)} against steps without it."
    )
    table = evidence(
        [("share of one core", f"{controls.percent(min(costs))} to {controls.percent(most)}", str(len(costs))),
         ("steps beside it (99 % interval)", controls.change(ratio), str(ratio.rounds))],
        "cost", "found", "runs or rounds",
    )  # fmt: skip
    passes: bool | None = most <= MOST_SHARE and ratio.bounds[0] <= 1 + MOST_SHARE
    if passes and (ratio.half_width or 0.0) > controls.WIDEST:
        passes, finding = None, f"{finding} That is too wide to say that it costs next to nothing."
    return Control(passes, finding, table, _picture(rounds, ratio))


def _picture(rounds: list[tuple[float, float]], ratio: Interval) -> Picture:
    rows = [
        (name, number, 1e6 * step_s)
        for number, both in enumerate(rounds, 1) for name, step_s in zip((SAMPLED, ALONE), both, strict=True)
    ]  # fmt: skip
    data = pd.DataFrame(rows, columns=["sampler", "round", "step_us"])
    with style.style():
        figure = Figure(figsize=(style.WIDTH, style.height(9)))
        axes = figure.subplots()
        controls.series(data, "round", "step_us", "sampler", axes)
        sns.move_legend(axes, "upper left", bbox_to_anchor=(1.0, 1.0), frameon=False)
        axes.set(xlabel="round", ylabel="step (µs)", title=f"Beside the sampler: {controls.change(ratio)}")
    return Picture(figure, data, f"Steps beside the sampler and alone, round by round: {controls.change(ratio)}")
