"""Training over a data set

Left, the score on the test set after each epoch, and what guessing gives (dotted); in the middle, the training loss by
step (where the framework's own loop hides its steps, a mean of each epoch, in its middle; of very many steps, means
over several; dashed where nothing is compiled). Both are means over rounds; every framework has the same examples in
the same order and the same initial weights, so curves that part show a difference in the computation. Right, the first
epoch with compiler caches emptied (ring) and the later ones (mark with its 99 % interval), on a logarithmic axis.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import units
from analysis.estimate import training
from analysis.estimate.cells import Cell, mean_s
from analysis.estimate.estimates import Estimates
from analysis.estimate.training import Trained
from analysis.figures import style
from analysis.figures.style import INK, Look, Picture
from analysis.load.table import Results
from analysis.text import sentences
from bench.cases import EPOCHS

ORDER = 5
SCOPE = "workload"
TASKS = EPOCHS


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw three panels per question: the score by epoch, the loss by step, and the time of an epoch."""
    shown = [(each, training.trained(results.runs, each)) for each in answers if each.measured]
    if not shown:
        return style.nothing("no environment has trained over a data set yet")
    heights = [max(style.height(len(each.cells)), 2.4) for each, _ in shown]
    with style.style():
        figure = Figure(figsize=(style.WIDTH * 1.6, sum(heights) + 0.3))
        panels = figure.subplots(len(shown), 3, squeeze=False, height_ratios=heights)
        for (left, middle, right), (each, known) in zip(panels, shown, strict=True):
            _scores(left, results, each, known)
            _losses(middle, results, each)
            _times(right, results, each, known)
        style.mode_legend(figure)
    return Picture(figure, _data(results, shown), ". ".join(_sentence(*each) for each in shown))


def _look(results: Results, answer: Estimates, cell: Cell) -> Look:
    return style.look(results, answer.question.machine, cell)


def _scores(axes: Axes, results: Results, answer: Estimates, known: Trained) -> None:
    curves = training.curves(results.runs, answer)
    for cell in answer.measured:
        looks, curve = _look(results, answer, cell), curves[cell.row]
        axes.plot(range(1, len(curve) + 1), curve, color=looks.color, linewidth=1.0, **looks.marks())
    if known.scale.guessing is not None:
        axes.axhline(known.scale.guessing, color=INK, linewidth=0.7, linestyle="dotted")
        axes.annotate("guessing", (0.99, known.scale.guessing), xycoords=axes.get_yaxis_transform(), ha="right",
                      va="bottom", fontsize=7)  # fmt: skip
    last = max(len(curve) for curve in curves.values())
    axes.set_xticks(range(1, last + 1, max(1, last // 10)))
    axes.set_xlabel("epoch")
    axes.set_title(sentences.short(answer.question).replace(" · ", ", ", 1), fontsize=8)
    axes.set_ylabel(known.score)


def _losses(axes: Axes, results: Results, answer: Estimates) -> None:
    points = training.losses(results.runs, answer)
    for cell in answer.measured:
        looks, (steps, losses) = _look(results, answer, cell), zip(*points[cell.row], strict=True)
        axes.plot(steps, losses, color=looks.color, linewidth=1.0, linestyle="solid" if looks.is_filled else "dashed",
                  marker=looks.marker if len(steps) == 1 else None)  # fmt: skip
    axes.set_xlabel("step")
    axes.set_ylabel("training loss")


def _times(axes: Axes, results: Results, answer: Estimates, known: Trained) -> None:
    first = {row: own.start.first_epoch_s["cold"] for row, own in known.summaries.items()}
    times = [bound for cell in answer.measured if cell.time for bound in cell.time.bounds]
    times += [value for value in first.values() if value is not None]
    unit = units.common(times, units.SECONDS)
    heights = style.rows_axes(axes, answer.by_time, "", f"time per epoch ({unit.name})")
    for cell in answer.measured:
        ring = first.get(cell.row)
        if ring is not None:
            axes.plot(ring / unit.size, heights[cell.row], linestyle="none", marker="o", markersize=9,
                      markerfacecolor="none", markeredgecolor=INK, markeredgewidth=0.7)  # fmt: skip
        if cell.time is not None:
            style.mark(axes, heights[cell.row], cell.time, unit, _look(results, answer, cell))
    style.log_scale(axes, [value / unit.size for value in times])


def _data(results: Results, shown: Sequence[tuple[Estimates, Trained]]) -> pd.DataFrame:
    rows = [
        (*answer.question, *cell.row, *point)
        for answer, known in shown
        for curves, losses in [(training.curves(results.runs, answer), training.losses(results.runs, answer))]
        for cell in answer.measured
        for point in _points(curves[cell.row], losses[cell.row], known, cell)
    ]
    return style.table(rows, "mode", "of", "at", "value")


def _points(
    curve: Sequence[float], losses: Sequence[tuple[float, float]], known: Trained, cell: Cell
) -> list[tuple[str, float, float | None]]:
    """Return what is drawn of a competitor: what it is a value of, at which epoch or step, and the value."""
    scores = [("test score, epoch", float(epoch), value) for epoch, value in enumerate(curve, 1)]
    by_step = [("training loss, step", *point) for point in losses]
    first = known.summaries[cell.row].start.first_epoch_s["cold"]
    later = cell.time.value if cell.time else None
    return [*scores, *by_step, ("first epoch in s, caches emptied", 1.0, first), ("later epoch in s", 2.0, later)]


def _sentence(answer: Estimates, known: Trained) -> str:
    parts = [
        f"{style.label(cell)} {units.seconds(mean_s(cell))} per epoch, "
        f"{known.score} {units.digits(known.summaries[cell.row].final)}"
        for cell in answer.measured
    ]
    return f"{sentences.question(answer.question)}: {'; '.join(parts)}"
