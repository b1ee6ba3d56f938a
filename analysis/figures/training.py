"""Training over a data set

Left, the score on the test set after each epoch, a mean over rounds; every framework has the same examples in the same
order and the same initial weights, so curves that part show a difference in the computation. Right, the first epoch
(ring) and the later ones (mark with its 99 % interval), on a logarithmic axis.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import drawing, training, words
from analysis.drawing import INK, Picture
from analysis.estimates import Estimates
from analysis.table import Results
from bench.cases import EPOCHS

ORDER = 5
SCOPE = "workload"
TASKS = EPOCHS


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw two panels per question: the score by epoch, and the time of an epoch."""
    shown = [each for each in answers if each.measured]
    if not shown:
        return drawing.nothing("no environment has trained over a data set yet")
    heights = [max(drawing.height(len(each.cells)), 2.4) for each in shown]
    with drawing.style():
        figure = Figure(figsize=(drawing.WIDTH, sum(heights) + 0.3))
        panels = figure.subplots(len(shown), 2, squeeze=False, height_ratios=heights)
        for (left, right), each in zip(panels, shown, strict=True):
            _curves(left, results, each)
            _times(right, results, each)
        drawing.mode_legend(figure)
    return Picture(figure, _data(results, shown), ". ".join(_sentence(results, each) for each in shown))


def _curves(axes: Axes, results: Results, answer: Estimates) -> None:
    curves = training.curves(results.runs, answer)
    for cell in answer.measured:
        record = results.environment(answer.question.machine, cell.row[0])
        looks = drawing.look(record, cell)
        curve = curves[cell.row]
        axes.plot(range(1, len(curve) + 1), curve, color=looks.color, linewidth=1.0, **looks.marks())
    last = max(len(curve) for curve in curves.values())
    axes.set_xticks(range(1, last + 1, max(1, last // 10)))
    axes.set_xlabel("epoch")
    axes.set_title(words.short(answer.question).replace(" · ", ", ", 1), fontsize=8)
    axes.set_ylabel(training.summaries(results.runs, answer)[0].score)


def _times(axes: Axes, results: Results, answer: Estimates) -> None:
    first = {each.row: each.first_epoch_s for each in training.summaries(results.runs, answer)}
    known = [value for cell in answer.measured if cell.time for value in (*cell.time.bounds, first[cell.row])]
    unit = words.common(known, words.SECONDS)
    heights = drawing.rows_axes(axes, drawing.ordered(answer), "", f"time per epoch ({unit.name})")
    for cell in answer.measured:
        if cell.time is None:
            continue
        axes.plot(first[cell.row] / unit.size, heights[cell.row], linestyle="none", marker="o", markersize=9,
                  markerfacecolor="none", markeredgecolor=INK, markeredgewidth=0.7)  # fmt: skip
        looks = drawing.look(results.environment(answer.question.machine, cell.row[0]), cell)
        drawing.mark(axes, heights[cell.row], cell.time, unit, looks)
    drawing.log_scale(axes, [value / unit.size for value in known])


def _data(results: Results, answers: Sequence[Estimates]) -> pd.DataFrame:
    rows = [
        (*answer.question, *each.row, epoch, value, each.first_epoch_s)
        for answer in answers
        for each in training.summaries(results.runs, answer)
        for epoch, value in enumerate(training.curves(results.runs, answer)[each.row], 1)
    ]
    columns = (*answers[0].question._fields, "environment", "mode", "epoch", "test_score", "first_epoch_s")
    return pd.DataFrame(rows, columns=list(columns))


def _sentence(results: Results, answer: Estimates) -> str:
    known = {each.row: each for each in training.summaries(results.runs, answer)}
    parts = [
        f"{drawing.label(cell)} {words.seconds(cell.time.value)} per epoch, "
        f"{known[cell.row].score} {words.digits(known[cell.row].final)}"
        for cell in answer.measured
        if cell.time
    ]
    return f"{words.question(answer.question)}: {'; '.join(parts)}"
