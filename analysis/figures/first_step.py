"""The first step against a steady one

The first step includes tracing, compiling and kernel selection: with compiler caches emptied (cold) and with what an
earlier run left in them (warm). The line shows how far it is from there to a steady step. Medians over rounds,
logarithmic axis.
"""

from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
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


class Times(NamedTuple):
    """Seconds of one competitor; None where not measured."""

    step_s: float | None
    first_step_cold_s: float | None
    first_step_warm_s: float | None


def times(cell: Cell) -> Times:
    """Return what this figure shows of a competitor."""
    return Times(cell.median_s, cell.first_step_cold_s, cell.first_step_warm_s)


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw the first question that has a time: the first step hardly depends on the batch size."""
    shown = next((each for each in answers if any(any(times(cell)[1:]) for cell in each.cells)), None)
    if shown is None:
        return style.nothing("no first step was timed")
    with style.style():
        figure = Figure(figsize=(style.WIDTH, style.height(len(shown.cells)) + 0.3))
        _panel(figure.subplots(), results, shown)
        style.mode_legend(figure, _tick("cold first step", 1.0, 2.4), _tick("warm first step", 1.0, 1.0))
    return Picture(figure, _data(shown), ". ".join([_finding(shown), _sentence(shown)]))


def _tick(name: str, alpha: float, width: float) -> Line2D:
    return Line2D(
        [], [], linestyle="none", marker="|", color=INK, alpha=alpha, markeredgewidth=width, markersize=9, label=name
    )


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
        for value, width in ((cell.first_step_cold_s, 2.4), (cell.first_step_warm_s, 1.0)):
            if value:
                axes.plot(
                    value / unit.size, y, linestyle="none", marker="|", color=INK, markeredgewidth=width, markersize=9
                )
        looks = style.look(results.environment(answer.question.machine, cell.row[0]), cell)
        if cell.median_s:
            axes.plot(cell.median_s / unit.size, y, linestyle="none", zorder=3, **looks.marks())
    style.log_scale(axes, [value / unit.size for value in known])


def _data(answer: Estimates) -> pd.DataFrame:
    rows = [(*answer.question, *cell.row, *times(cell), cell.status) for cell in answer.by_time]
    return pd.DataFrame(rows, columns=[*answer.question._fields, "environment", "mode", *Times._fields, "status"])


def _finding(answer: Estimates) -> str:
    both = [(times(cell), style.label(cell)) for cell in answer.by_time]
    known = [(own.first_step_cold_s / own.step_s, name) for own, name in both if own.first_step_cold_s and own.step_s]
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
