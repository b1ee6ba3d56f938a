"""Time per step

Geometric mean over rounds with its 99 % interval; further left is faster. The axis is logarithmic: equal distances are
equal ratios. Overlapping intervals do not decide a comparison, the table's paired ratios do.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

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
        figure = Figure(figsize=(style.WIDTH, sum(heights) + 0.3))
        panels = figure.subplots(len(shown), 1, squeeze=False, height_ratios=heights)[:, 0]
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
            record = results.environment(answer.question.machine, cell.row[0])
            style.mark(axes, heights[cell.row], cell.time, unit, style.look(record, cell))
    style.log_scale(axes, [bound / unit.size for time in times for bound in time.bounds])


def data(answers: Sequence[Estimates]) -> pd.DataFrame:
    """Return what is drawn, a row per competitor, in seconds; a missing time stays empty."""
    rows = [
        (*answer.question, *cell.row, *((None,) * 3 if cell.time is None else cell.time[:3]), cell.rounds, cell.status)
        for answer in answers
        for cell in answer.by_time
    ]
    columns = (*answers[0].question._fields, "environment", "mode", "step_s", "low_s", "high_s", "rounds", "status")
    return pd.DataFrame(rows, columns=list(columns))


def sentence(answer: Estimates) -> str:
    """Return one question's times in words."""
    cells = [cell for cell in answer.by_time if cell.time]
    times = ", ".join(f"{style.label(cell)} {units.seconds(cell.time.value)}" for cell in cells if cell.time)
    return f"Time per step, {sentences.question(answer.question)}: {times}"
