"""Time against memory

What a faster step costs in memory: further left is faster, further down is less. Times with their 99 % interval on a
logarithmic axis, memory as in the figure of peak memory, from zero. Modes of one environment that look alike bear their
names.
"""

from collections import Counter
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from analysis import units
from analysis.estimate.cells import Cell, mean_s
from analysis.estimate.estimates import Estimates
from analysis.figures import style
from analysis.figures.style import Picture
from analysis.load.table import Results
from analysis.text import sentences

ORDER = 4
SCOPE = "workload"
LEGEND = 0.19  # inches for each competitor beside a chart


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw one panel per question, a mark for each competitor that has both numbers."""
    shown = [(answer, own) for answer in answers if (own := both(answer))]
    if not shown:
        return style.nothing("no competitor has both a time and a memory")
    heights = [max(2.6, 0.9 + LEGEND * len(own)) for _, own in shown]
    with style.style():
        figure, panels = style.below_each_other(heights, more=0)
        for axes, (answer, own) in zip(panels, shown, strict=True):
            _panel(axes, results, answer, own)
    return Picture(figure, _data(shown), ". ".join([_finding(*shown[0]), *(_sentence(*each) for each in shown)]))


def both(answer: Estimates) -> list[Cell]:
    """Return the competitors that have a time and a memory, the fastest first."""
    return [cell for cell in answer.by_time if cell.time and cell.memory_bytes]


def _panel(axes: Axes, results: Results, answer: Estimates, cells: Sequence[Cell]) -> None:
    times = [cell.time for cell in cells if cell.time]
    second = units.common([time.value for time in times], units.SECONDS)
    size = units.common([cell.memory_bytes for cell in cells], units.BYTES)
    alike = Counter((cell.row[0], cell.compiles is not False) for cell in cells)
    for cell, time in zip(cells, times, strict=True):
        memory = (cell.memory_bytes or 0) / size.size
        looks = style.look(results, answer.question.machine, cell)
        style.mark(axes, memory, time, second, looks)
        if alike[cell.row[0], looks.is_filled] > 1:
            at = (time.value / second.size, memory)
            axes.annotate(cell.row[1], at, xytext=(4, 4), textcoords="offset points", fontsize=7)
        axes.plot([], [], linestyle="none", label=style.label(cell), **looks.marks())
    style.log_scale(axes, [bound / second.size for time in times for bound in time.bounds])
    axes.set_ylim(0, max(cell.memory_bytes or 0 for cell in cells) / size.size * 1.1)
    axes.set(xlabel=f"time per step ({second.name})", ylabel=f"peak memory ({size.name})")
    axes.set_title(sentences.short(answer.question))
    axes.grid(True, axis="y")
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=8)


def _data(shown: Sequence[tuple[Estimates, Sequence[Cell]]]) -> pd.DataFrame:
    rows = [
        (*answer.question, *cell.row, *style.bounds(cell), cell.memory_bytes)
        for answer, cells in shown
        for cell in cells
    ]
    return style.table(rows, "mode", "step_s", "low_s", "high_s", "memory_bytes")


def _finding(answer: Estimates, cells: Sequence[Cell]) -> str:
    """Name the shortest mean time and the least memory, without a claim that either is shorter or less than a tie."""
    quick, small = cells[0], min(cells, key=lambda cell: cell.memory_bytes or 0)
    about = sentences.short(answer.question)
    if quick is small:
        return f"{about}: {style.label(quick)} has both the shortest mean time and the least memory"
    return f"{about}: {style.label(quick)} has the shortest mean time, {style.label(small)} the least memory"


def _sentence(answer: Estimates, cells: Sequence[Cell]) -> str:
    size = units.common([cell.memory_bytes for cell in cells], units.BYTES)
    parts = [
        f"{style.label(cell)} {units.seconds(mean_s(cell))} with {units.with_unit(cell.memory_bytes, size)}"
        for cell in cells
    ]
    return f"Time per step and peak memory, {sentences.question(answer.question)}: {'; '.join(parts)}"
