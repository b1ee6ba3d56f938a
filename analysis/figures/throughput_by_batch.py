"""Samples per second by batch size

A larger batch hides what a framework spends on each step beside the arithmetic. Solid lines are default modes, dashed
lines the others; a batch size without a time leaves a hole. Both axes are logarithmic: equal slopes are equal gains.
"""

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question
from analysis.figures import style
from analysis.figures.style import Picture
from analysis.load.table import Results
from analysis.stats import Row
from analysis.text import sentences

ORDER = 3
SCOPE = "workload"


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw one panel for each set of questions that differ in nothing but the batch size."""
    groups = [group for group in by_batch(answers) if sum(bool(each.measured) for each in group) > 1]
    if not groups:
        return style.nothing("only one batch size was measured")
    with style.style():
        figure, panels = style.below_each_other([3.4] * len(groups), more=0)
        for axes, group in zip(panels, groups, strict=True):
            _panel(axes, results, group)
    return Picture(figure, _data(groups), ". ".join([_finding(groups[0]), *map(_sentence, groups)]))


def by_batch(answers: Sequence[Estimates]) -> list[list[Estimates]]:
    """Return questions that differ only in batch size together, the smallest batch first."""
    groups: dict[Question, list[Estimates]] = {}
    for answer in answers:
        groups.setdefault(answer.question._replace(batch_size=0), []).append(answer)
    return [sorted(group, key=lambda each: each.question.batch_size) for group in groups.values()]


def throughput(group: Sequence[Estimates]) -> dict[Row, list[float]]:
    """Return samples per second of each competitor at each batch size, NaN where there is no time; the best first."""
    rows = {cell.row for each in group for cell in each.cells}
    known = {(each.question.batch_size, cell.row): _samples(each, cell) for each in group for cell in each.cells}
    lines = {row: [known.get((each.question.batch_size, row), math.nan) for each in group] for row in sorted(rows)}
    return dict(sorted(lines.items(), key=lambda line: -max((value for value in line[1] if value > 0), default=0.0)))


def _samples(answer: Estimates, cell: Cell) -> float:
    return math.nan if cell.time is None else answer.question.batch_size / cell.time.value


def _panel(axes: Axes, results: Results, group: Sequence[Estimates]) -> None:
    sizes = [each.question.batch_size for each in group]
    cells: dict[Row, Cell] = {cell.row: cell for each in reversed(group) for cell in each.cells}
    lines = throughput(group)
    for row, line in lines.items():
        looks = style.look(results, group[0].question.machine, cells[row])
        dashes: Any = "-" if cells[row].is_default else (0, (4, 2))
        name = style.label(cells[row])
        axes.plot(sizes, line, color=looks.color, linestyle=dashes, label=name, **looks.marks())
    style.log_scale(axes, sizes, "x")
    style.log_scale(axes, [value for line in lines.values() for value in line if value > 0], "y")
    axes.set_xticks(sizes, [str(size) for size in sizes])
    axes.set(xlabel="batch size", ylabel="samples per second", title=_title(group[0].question))
    axes.grid(True, axis="y")
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=8)


def _title(question: Question) -> str:
    return sentences.short(question).replace(f" · batch {question.batch_size}", "")


def _data(groups: Sequence[Sequence[Estimates]]) -> pd.DataFrame:
    """Return what is drawn, a row per competitor and batch size; a missing time stays empty."""
    rows = [
        (*answer.question, *cell.row, None if cell.time is None else _samples(answer, cell), cell.status)
        for group in groups
        for answer in group
        for cell in answer.by_time
    ]
    return style.table(rows, "mode", "samples_per_s", "status")


def _finding(group: Sequence[Estimates]) -> str:
    first, last = (each.question.batch_size for each in (group[0], group[-1]))
    cells = {cell.row: cell for each in group for cell in each.cells}
    gains = [(line[-1] / line[0], style.label(cells[row])) for row, line in throughput(group).items()
             if line[0] > 0 and line[-1] > 0]  # fmt: skip
    if not gains:
        return f"No competitor has a time at both batch size {first} and {last}"
    (least, lame), (most, eager) = min(gains), max(gains)
    return (
        f"From batch size {first} to {last}, samples per second grow {units.digits(most)} times with {eager} and "
        f"{units.digits(least)} times with {lame}"
    )


def _sentence(group: Sequence[Estimates]) -> str:
    sizes = [each.question.batch_size for each in group]
    parts = [f"{row[0]} {row[1]} {_at_sizes(line, sizes)}" for row, line in throughput(group).items()]
    return f"Samples per second by batch size, {_title(group[0].question)}: {'; '.join(parts)}"


def _at_sizes(line: Sequence[float], sizes: Sequence[int]) -> str:
    known = [f"{units.digits(value)} at {size}" for value, size in zip(line, sizes, strict=True) if value > 0]
    return ", ".join(known) or "not measured"
