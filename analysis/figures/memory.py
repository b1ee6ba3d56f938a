"""Peak memory

The device allocator's peak in use on a GPU; on a CPU the peak resident memory of the whole process, the framework's
own libraries included. Median over rounds; further left is less.
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

ORDER = 4
SCOPE = "workload"


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw one panel per question, the competitors in the order of their time, from zero."""
    shown = [each for each in answers if any(cell.memory_bytes for cell in each.cells)]
    if not shown:
        return style.nothing("no memory was recorded")
    heights = [style.height(len(each.cells)) for each in shown]
    with style.style():
        figure, panels = style.below_each_other(heights)
        for axes, each in zip(panels, shown, strict=True):
            _panel(axes, results, each)
        style.mode_legend(figure)
    return Picture(figure, _data(shown), ". ".join([_finding(shown[0]), *map(_sentence, shown)]))


def _panel(axes: Axes, results: Results, answer: Estimates) -> None:
    cells = answer.by_time
    unit = units.common([cell.memory_bytes for cell in cells], units.BYTES)
    heights = style.rows_axes(axes, cells, sentences.short(answer.question), f"peak memory ({unit.name})")
    for cell in cells:
        if cell.memory_bytes is None:
            continue
        value = cell.memory_bytes / unit.size
        axes.hlines(heights[cell.row], 0, value, color=style.GRID, linewidth=1.5, zorder=1)
        looks = style.look(results, answer.question.machine, cell)
        axes.plot(value, heights[cell.row], linestyle="none", zorder=3, **looks.marks())
    axes.set_xlim(0, max(cell.memory_bytes or 0 for cell in cells) / unit.size * 1.05)


def _data(answers: Sequence[Estimates]) -> pd.DataFrame:
    rows = [
        (*answer.question, *cell.row, cell.host_memory_bytes, cell.device_memory_bytes, cell.status)
        for answer in answers
        for cell in answer.by_time
    ]
    return style.table(rows, "mode", "host_memory_bytes", "device_memory_bytes", "status")


def _finding(answer: Estimates) -> str:
    known = [(cell.memory_bytes, style.label(cell)) for cell in answer.by_time if cell.memory_bytes]
    unit = units.common([value for value, _ in known], units.BYTES)
    (least, small), (most, large) = min(known), max(known)
    return (
        f"{sentences.short(answer.question)}: {small} takes the least memory, {units.with_unit(least, unit)}, and "
        f"{large} the most, {units.with_unit(most, unit)}"
    )


def _sentence(answer: Estimates) -> str:
    known = [cell for cell in answer.by_time if cell.memory_bytes]
    unit = units.common([cell.memory_bytes for cell in known], units.BYTES)
    parts = ", ".join(f"{style.label(cell)} {units.with_unit(cell.memory_bytes, unit)}" for cell in known)
    return f"Peak memory, {sentences.question(answer.question)}: {parts}"
