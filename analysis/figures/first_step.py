"""The first step against a steady one

The first step includes tracing, compiling and kernel selection: with compiler caches emptied (cold) and with what an
earlier run left in them (warm). The line shows how far it is from there to a steady step. Medians over rounds,
logarithmic axis.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.figures import style
from analysis.figures.style import INK, Picture
from analysis.load.table import Results
from analysis.text import sentences

ORDER = 2
SCOPE = "workload"
WIDTHS = {"cold": 2.4, "warm": 1.0}  # of a first step's mark
MARK: dict[str, Any] = {"linestyle": "none", "marker": "|", "color": INK, "markersize": 9}


def times(cell: Cell) -> tuple[float | None, float | None, float | None]:
    """Return what this figure shows of a competitor, in seconds: a steady step, a cold and a warm first one."""
    return cell.median_s, cell.first_step_cold_s, cell.first_step_warm_s


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw the first question that has a time: the first step hardly depends on the batch size."""
    shown = next((each for each in answers if any(any(times(cell)[1:]) for cell in each.cells)), None)
    if shown is None:
        return style.nothing("no first step was timed")
    with style.style():
        figure, (axes,) = style.below_each_other([style.height(len(shown.cells))])
        _panel(axes, results, shown)
        keys = [Line2D([], [], label=f"{name} first step", markeredgewidth=WIDTHS[name], **MARK) for name in WIDTHS]
        style.mode_legend(figure, *keys)
    return Picture(figure, _data(shown), ". ".join([_finding(shown), _sentence(shown)]))


def _panel(axes: Axes, results: Results, answer: Estimates) -> None:
    cells = answer.by_time
    known = [value for cell in cells for value in times(cell) if value]
    unit = units.common(known, units.SECONDS)
    heights = style.rows_axes(axes, cells, sentences.short(answer.question), f"time ({unit.name})")
    for cell in cells:
        marks = [value / unit.size for value in times(cell) if value]
        if not marks:
            continue
        y = heights[cell.row]
        axes.hlines(y, min(marks), max(marks), color=INK, linewidth=0.8, zorder=1)
        for value, width in zip(times(cell)[1:], WIDTHS.values(), strict=True):
            if value:
                axes.plot(value / unit.size, y, markeredgewidth=width, **MARK)
        looks = style.look(results, answer.question.machine, cell)
        if cell.median_s:
            axes.plot(cell.median_s / unit.size, y, linestyle="none", zorder=3, **looks.marks())
    style.log_scale(axes, [value / unit.size for value in known])


def _data(answer: Estimates) -> pd.DataFrame:
    rows = [(*answer.question, *cell.row, *times(cell), cell.status) for cell in answer.by_time]
    return style.table(rows, "mode", "step_s", "first_step_cold_s", "first_step_warm_s", "status")


def _finding(answer: Estimates) -> str:
    known = [(cell.first_step_cold_s / cell.median_s, style.label(cell)) for cell in answer.by_time
             if cell.first_step_cold_s and cell.median_s]  # fmt: skip
    if not known:
        return "No competitor has both a cold first step and a steady one"
    (least, quick), (most, slow) = min(known), max(known)
    return (
        f"A cold first step takes as long as {units.digits(least)} steady ones with {quick} and as "
        f"{units.digits(most)} with {slow}"
    )


def _sentence(answer: Estimates) -> str:
    parts = [
        f"{style.label(cell)} cold {units.seconds(cell.first_step_cold_s)}, "
        f"warm {units.seconds(cell.first_step_warm_s)}, steady {units.seconds(cell.median_s)}"
        for cell in answer.by_time
        if cell.time
    ]
    return f"First step, {sentences.question(answer.question)}: {'; '.join(parts)}"
