"""Time per step

Geometric mean over rounds with its 99 % interval; further left is faster. The axis is logarithmic: equal distances are
equal ratios. Overlapping intervals do not decide a comparison, the table's paired ratios do.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from analysis import units
from analysis.estimate.estimates import Estimates
from analysis.figures import style
from analysis.figures.style import Picture
from analysis.load.table import Results
from analysis.text import sentences

ORDER = 1
SCOPE = "workload"


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw one panel per question, competitors by time."""
    shown = [each for each in answers if each.measured]
    if not shown:
        return style.nothing("no competitor has a time")
    heights = [style.height(len(each.cells)) for each in shown]
    with style.style():
        figure, panels = style.below_each_other(heights)
        for axes, each in zip(panels, shown, strict=True):
            panel(axes, results, each, sentences.short(each.question))
        style.mode_legend(figure)
    return Picture(figure, data(shown), " ".join([finding(shown), ". ".join(sentence(each) for each in shown)]))


def finding(answers: Sequence[Estimates]) -> str:
    """Return who is the fastest; of several questions, how often."""
    told = sentences.finding(answers, "question") if len(answers) > 1 else sentences.leaders(answers[0])
    return told[0].upper() + told[1:]


def panel(axes: Axes, results: Results, answer: Estimates, title: str) -> None:
    """Draw one question."""
    cells = answer.by_time
    times = [cell.time for cell in cells if cell.time]
    unit = units.common([time.value for time in times], units.SECONDS)
    heights = style.rows_axes(axes, cells, title, f"time per {sentences.PER[answer.question.task]} ({unit.name})")
    for cell in cells:
        if cell.time:
            looks = style.look(results, answer.question.machine, cell)
            style.mark(axes, heights[cell.row], cell.time, unit, looks)
    style.log_scale(axes, [bound / unit.size for time in times for bound in time.bounds])


def data(answers: Sequence[Estimates]) -> pd.DataFrame:
    """Return what is drawn, a row per competitor, in seconds; a missing time stays empty."""
    rows = [
        (*answer.question, *cell.row, *style.bounds(cell), cell.rounds, cell.status)
        for answer in answers
        for cell in answer.by_time
    ]
    return style.table(rows, "mode", "step_s", "low_s", "high_s", "rounds", "status")


def sentence(answer: Estimates) -> str:
    """Return one question's times in words."""
    times = ", ".join(f"{style.label(cell)} {units.seconds(cell.time.value)}" for cell in answer.by_time if cell.time)
    return f"Time per step, {sentences.question(answer.question)}: {times}"
