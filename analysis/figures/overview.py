"""Which framework is fastest for what, and by how much

A row for each workload at its first batch size and optimiser, a column for each environment in the mode that it
documents as its default. A mark is its time as a multiple of the fastest one's in the same rounds, with its 99 %
interval, on a logarithmic axis. A shaded place is the fastest of its row; where several are shaded, they tie: none is
claimed to be faster than another.
"""

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, first_questions
from analysis.figures import style
from analysis.figures.style import GRID, INK, PAPER, Look, Picture
from analysis.load.table import Results
from analysis.stats import Row
from analysis.stats.interval import Interval
from analysis.text import sentences

ORDER = 0
SCOPE = "machine"
AMONG_DEFAULTS = True
NAMES = 2.1  # inches for the workloads' titles
LABELS = 138  # points from where they begin to the first column
COLUMN = 1.2  # inches
HEAD = 1.5  # inches above the rows and below them
LETTERS = 15  # of a column's title in a line
LABEL = 29  # letters of a row's title in a line
MARGIN = 1.4  # how far the axis reaches beyond the ratios; an interval may run out of it
TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
SHADE: dict[str, Any] = {"color": GRID, "alpha": 0.55}


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw the first question of each workload, one narrow chart for each competitor beside the others."""
    shown = [each for each in first_questions(answers) if each.measured]
    if not shown:
        return style.nothing("no competitor has a time in its default mode")
    columns = sorted({(cell.title, cell.row) for each in shown for cell in each.cells})
    highest = max(ratio.value for each in shown for cell in each.measured if (ratio := to_fastest(each, cell)))
    with style.style():
        figure = Figure(figsize=(NAMES + COLUMN * len(columns), HEAD + style.ROW * len(shown)))
        charts = figure.subplots(1, len(columns), squeeze=False, sharey=True)[0]
        for axes, (name, row) in zip(charts, columns, strict=True):
            _column(axes, results, shown, (name, row))
            axes.set_title("\n".join([*textwrap.wrap(name, LETTERS), row[1]]), fontsize=8)
            _scale(axes, highest)
        titles = [_in_lines(units.workload_title(each.question.workload)) for each in shown]
        charts[0].set_yticks(style.from_the_top(shown), titles, fontsize=8, ha="left")
        charts[0].tick_params(axis="y", pad=LABELS)
        meant = "fastest of its row, or tied with it"
        style.mode_legend(figure, Line2D([], [], linestyle="none", marker="s", markersize=10, label=meant, **SHADE))
    return Picture(figure, _data(shown), f"{sentences.finding(shown)} {'. '.join(map(_sentence, shown))}")


def to_fastest(answer: Estimates, cell: Cell) -> Interval | None:
    """Return a time as a multiple of the fastest one's: 1 for the fastest itself, None without a common round."""
    if cell.to_fastest is not None:
        return cell.to_fastest.ratio
    is_fastest = cell.row == answer.by_time[0].row
    return Interval(1.0, None, None, cell.rounds) if is_fastest else None


def _in_lines(name: str) -> str:
    """Return a row's title in one line, or in lines of about the same length."""
    return name if len(name) <= LABEL else textwrap.fill(name, min(LABEL, len(name) // 2 + 4))


def _column(axes: Axes, results: Results, answers: Sequence[Estimates], competitor: tuple[str, Row]) -> None:
    """Draw one competitor's ratio at each workload, or say in a word why there is none."""
    across = axes.get_yaxis_transform()
    axes.set_ylim(-0.6, len(answers) - 0.4)
    between = {y - 0.5: (0.0, 1.0) for y in style.from_the_top(answers)}
    _lines(axes, between, color=GRID, linewidth=0.6, zorder=0, transform=across)
    drawn: dict[int, Interval] = {}
    for y, answer in zip(style.from_the_top(answers), answers, strict=True):
        cell = next((each for each in answer.cells if (each.title, each.row) == competitor), None)
        ratio = to_fastest(answer, cell) if cell and cell.time else None
        if cell is None or ratio is None:
            axes.annotate(_absence(cell), (0.03, y), xycoords=across, va="center", fontsize=7, style="italic",
                          bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 1})  # fmt: skip
            continue
        drawn[y] = ratio
        if cell.rank == 1 and sentences.can_rank(answer):
            axes.axhspan(y - 0.5, y + 0.5, linewidth=0, zorder=0, **SHADE)
    _marks(axes, _look(results, answers, competitor), drawn)


def _look(results: Results, answers: Sequence[Estimates], competitor: tuple[str, Row]) -> Look:
    """Return how a competitor looks, the same in all of its column."""
    cell = next(each for answer in answers for each in answer.cells if (each.title, each.row) == competitor)
    return style.look(results, answers[0].question.machine, cell)


def _marks(axes: Axes, look: Look, ratios: Mapping[int, Interval]) -> None:
    """Draw all ratios of a column, by their heights, with their intervals."""
    _lines(axes, {y: ratio.bounds for y, ratio in ratios.items()}, color=INK, linewidth=1.2, zorder=2)
    axes.plot([ratio.value for ratio in ratios.values()], list(ratios), linestyle="none", zorder=3, **look.marks())


def _lines(axes: Axes, ends: Mapping[float, tuple[float, float]], **looks: Any) -> None:
    """Draw a level line at each height as one path with gaps: a path for each would make the file twice as large."""
    xs = [x for low, high in ends.values() for x in (low, high, math.nan)]
    axes.plot(xs, [y for y in ends for _ in range(3)], **looks)


def _absence(cell: Cell | None) -> str:
    if cell is None:
        return "not asked"
    return cell.status.replace("_", " ") if cell.time is None else "no common round"


def _scale(axes: Axes, highest: float) -> None:
    """Give every column the same axis, on which 1 is the fastest."""
    style.log_scale(axes, [1 / MARGIN, highest * MARGIN])
    axes.set_xticks([tick for tick in TICKS if tick <= highest * MARGIN])
    axes.tick_params(axis="x", labelsize=8)
    axes.set_xlabel("times the fastest", fontsize=8)
    axes.axvline(1, color=INK, linewidth=0.8, zorder=1)


def _data(answers: Sequence[Estimates]) -> pd.DataFrame:
    rows = [_values(answer, cell) for answer in answers for cell in answer.by_time]
    columns = ("mode", "rank", "is_tied", "times_the_fastest", "low", "high", "step_s", "rounds", "status")
    return style.table(rows, *columns)


def _values(answer: Estimates, cell: Cell) -> tuple[object, ...]:
    ratio = to_fastest(answer, cell) if cell.time else None
    rank = (cell.rank, answer.is_tied(cell)) if cell.rank and sentences.can_rank(answer) else (None, None)
    step_s = cell.time.value if cell.time else None
    times = ratio[:3] if ratio else (None,) * 3
    return (*answer.question, *cell.row, *rank, *times, step_s, cell.rounds, cell.status)


def _sentence(answer: Estimates) -> str:
    return f"{units.workload_title(answer.question.workload)}: {sentences.leaders(answer).rstrip('.')}"
