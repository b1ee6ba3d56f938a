"""Time by network, batch size and optimiser

A column of charts for each batch size and a row for each optimiser; in each, the networks with one mark for every
environment in its default mode, and its 99 % interval. Logarithmic axes; further left is faster. A network that was not
measured there has an empty line.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis import units
from analysis.estimate import aggregate
from analysis.estimate.cells import mean_s
from analysis.estimate.estimates import Estimates, in_default_mode
from analysis.figures import style
from analysis.figures.style import GRID, Picture
from analysis.load.table import Results
from analysis.text import sentences
from analysis.units import workload_title
from bench.cases import TASKS as ALL

ORDER = 11
SCOPE = "article"
TASKS = ALL
SPREAD = 0.7  # of the space between two networks is for the environments' marks
MARK = 0.13  # inches for each of them


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw the questions of one kind, a chart for each batch size and optimiser."""
    shown = [in_default_mode(each) for each in aggregate.best(answers)]
    shown = [each for each in shown if each.measured]
    if not shown:
        return style.nothing("no network of this article has a time")
    rows = [row for block in aggregate.blocks(shown) for row in _rows(block)]
    sizes = sorted({each.question.batch_size for each in shown})
    with style.style():
        tall = [max(map(height, row.values())) for row in rows]
        figure = Figure(figsize=(style.WIDTH * min(1.6, 0.5 + 0.55 * len(sizes)), sum(tall)))
        charts = figure.subplots(len(rows), len(sizes), squeeze=False, height_ratios=tall)
        for line, row in zip(charts, rows, strict=True):
            for axes, size in zip(line, sizes, strict=True):
                if size in row:
                    panel(axes, results, row[size], _title(row[size]))
                else:
                    axes.remove()
        legend(figure, results, shown)
    return Picture(figure, _data(shown), ". ".join(_sentence(each) for each in shown))


def _rows(block: Sequence[Estimates]) -> list[dict[int, list[Estimates]]]:
    """Return a block's charts: a row for each optimiser, in it one chart for each batch size."""
    found: dict[str, dict[int, list[Estimates]]] = {}
    for (optimizer, size), answers in aggregate.facets(block).items():
        found.setdefault(optimizer, {})[size] = answers
    return list(found.values())


def _title(chart: Sequence[Estimates]) -> str:
    data = {each.question.data for each in chart}
    return sentences.short(chart[0].question._replace(data=data.pop() if len(data) == 1 else "several data sets"))


def panel(axes: Axes, results: Results, answers: Sequence[Estimates], title: str) -> units.Unit:
    """Draw networks below each other, each with a mark for every environment; returns the axis' unit."""
    cells = [cell for each in answers for cell in each.measured]
    bounds = [bound for cell in cells if cell.time for bound in cell.time.bounds]
    unit = units.common(bounds, units.SECONDS)
    environments = sorted({cell.row for cell in cells})
    heights = style.from_the_top(answers)
    for y, each in zip(heights, answers, strict=True):
        for cell in each.measured:
            if cell.time:
                place = y + SPREAD * (0.5 - (environments.index(cell.row) + 0.5) / len(environments))
                style.mark(axes, place, cell.time, unit, style.look(results, each.question.machine, cell))
    for y in heights[:-1]:
        axes.axhline(y - 0.5, color=GRID, linewidth=0.6, zorder=0)
    axes.set_yticks(heights, [each.question.workload for each in answers])
    axes.set_ylim(-0.6, len(answers) - 0.4)
    axes.set_title(title, fontsize=8)
    axes.set_xlabel(f"time per {sentences.PER[answers[0].question.task]} ({unit.name})")
    style.log_scale(axes, [bound / unit.size for bound in bounds])
    return unit


def height(answers: Sequence[Estimates]) -> float:
    """Return the inches that a chart takes, with its title, axis and share of the legend."""
    environments = {cell.row for each in answers for cell in each.measured}
    return len(answers) * max(MARK * len(environments) / SPREAD, style.ROW) + 1.0


def legend(figure: Figure, results: Results, answers: Sequence[Estimates]) -> None:
    """Name the environments' marks below a figure."""
    cells = {cell.row: cell for each in answers for cell in each.measured}
    machine = answers[0].question.machine
    handles = [
        Line2D([], [], linestyle="none", label=style.label(cell), **style.look(results, machine, cell).marks())
        for _, cell in sorted(cells.items())
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=min(len(handles), 3), fontsize=8)


def _data(answers: Sequence[Estimates]) -> pd.DataFrame:
    rows = [(*each.question, *cell.row, *style.bounds(cell), cell.status) for each in answers for cell in each.cells]
    return style.table(rows, "mode", "time_s", "low_s", "high_s", "status")


def _sentence(answer: Estimates) -> str:
    return f"{workload_title(answer.question.workload)}, {sentences.short(answer.question)}: {times(answer)}"


def times(answer: Estimates) -> str:
    """Return the times of one network in words."""
    return ", ".join(f"{style.label(cell)} {units.seconds(mean_s(cell))}" for cell in answer.measured)
