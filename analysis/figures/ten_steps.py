"""A step by the article's stopwatch, and a steady one

The article times ten steps as one, the first among them, which traces and compiles. A bar marks a tenth of that,
with empty compiler caches; the mark of an environment a steady step. Medians over rounds, logarithmic axis.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, first_questions
from analysis.figures import style
from analysis.figures.style import INK, Picture
from analysis.load.table import Results
from analysis.units import workload_title

ORDER = 15
SCOPE = "article"
MARK: dict[str, Any] = {"linestyle": "none", "marker": "|", "color": INK, "markersize": 9}
STEPS = 10  # that the article times as one


def times(cell: Cell) -> tuple[float, float] | None:
    """Return a steady step and a tenth of ten with the first among them, in seconds; None where one is unknown."""
    if not cell.median_s or not cell.first_step_cold_s:
        return None
    return cell.median_s, (cell.first_step_cold_s + (STEPS - 1) * cell.median_s) / STEPS


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw each network's first question."""
    shown = [each for each in first_questions(answers) if any(map(times, each.cells))]
    if not shown:
        return style.nothing("no first step of these networks was timed")
    with style.style():
        figure, panels = style.grid(len(shown), style.height(max(len(each.cells) for each in shown)))
        for axes, each in zip(panels, shown, strict=True):
            _panel(axes, results, each)
        style.mode_legend(figure, Line2D([], [], label="a tenth of ten steps", **MARK))
    return Picture(figure, _data(shown), ". ".join(map(_finding, shown)))


def _panel(axes: Axes, results: Results, answer: Estimates) -> None:
    known = [(cell, both) for cell in answer.by_time if (both := times(cell))]
    unit = units.common([value for _, both in known for value in both], units.SECONDS)
    title = workload_title(answer.question.workload)
    heights = style.rows_axes(axes, [cell for cell, _ in known], title, f"time ({unit.name})")
    for cell, (steady, tenth) in known:
        y = heights[cell.row]
        axes.hlines(y, steady / unit.size, tenth / unit.size, color=INK, linewidth=0.8, zorder=1)
        axes.plot(tenth / unit.size, y, **MARK)
        marks = style.look(results, answer.question.machine, cell).marks()
        axes.plot(steady / unit.size, y, linestyle="none", zorder=3, **marks)
    style.log_scale(axes, [value / unit.size for _, both in known for value in both])


def _data(shown: Sequence[Estimates]) -> pd.DataFrame:
    rows = [(*each.question, *cell.row, *both) for each in shown for cell in each.by_time if (both := times(cell))]
    return style.table(rows, "mode", "steady_step_s", "tenth_of_ten_steps_s")


def _finding(answer: Estimates) -> str:
    known = [(*both, style.label(cell)) for cell in answer.by_time if (both := times(cell))]
    steady, tenth = min(known)[2], min((second, name) for _, second, name in known)[1]
    name = workload_title(answer.question.workload)
    if steady == tenth:
        return f"{name}: {steady} takes least, by ten steps with the first among them as by a steady one"
    return f"{name}: by ten steps with the first among them {tenth} takes least, by a steady one {steady}"
