"""Photographs per second by workers, and by batches made ahead

What more processes or threads bring that decode one file each, or more batches that wait for their steps, where a
loader was measured with three numbers of them or more; bars are 99 % intervals, as far as they fit. The broken line is
the same network on one batch in memory: no loader can pass it by more than noise, and where marks lie on it, there are
enough.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.figures import style
from analysis.figures.style import INK, Picture
from analysis.load.table import Results
from analysis.stats.interval import Interval
from analysis.text import loaders, sentences
from bench import ablations
from bench.cases import FED

ORDER = 16
SCOPE = "article"
TASKS = FED
LEAST = 3  # numbers: two points tell no shape
HEIGHT = 2.4  # inches of a panel
ROOM = 1.6  # of its highest mark, that a panel shows of intervals


class Line(NamedTuple):
    """What one loader brings in one environment: photographs per second by the number in its modes."""

    answer: Estimates
    first: Cell
    loader: str
    rates: dict[int, Interval]
    alone: Interval | None  # of the network on one batch in memory


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw a panel for each loader of each environment of which enough was measured."""
    lines = [line for answer in answers for line in _lines(answer)]
    if not lines:
        return style.nothing(f"no loader was measured with {LEAST} numbers of workers or batches")
    with style.style():
        figure, panels = style.grid(len(lines), HEIGHT, style.WIDTH * 1.3, beside=3, more=0)
        for axes, line in zip(panels, lines, strict=True):
            _panel(axes, results, line)
    return Picture(figure, _data(lines), ". ".join(map(_sentence, lines)))


def _lines(answer: Estimates) -> Iterator[Line]:
    found: dict[tuple[str, str], dict[int, Cell]] = {}
    rates = {cell.row: loaders.rate(answer, cell.time) for cell in answer.measured if cell.time}
    for cell in answer.measured:
        name = ablations.SIGN.join(ablations.parts(loaders.fed_by(cell)))
        found.setdefault((cell.row[0], name), {})[ablations.number(cell.row[1])] = cell
    for (environment, name), cells in found.items():
        if len(cells) >= LEAST:
            alone = found.get((environment, loaders.alone(name)), {}).get(0)
            own = {count: rates[cell.row] for count, cell in sorted(cells.items())}
            yield Line(answer, cells[min(cells)], name, own, rates[alone.row] if alone else None)


def _panel(axes: Axes, results: Results, line: Line) -> None:
    looks = style.look(results, line.answer.question.machine, line.first)
    for count, rate in line.rates.items():
        axes.vlines(count, *rate.bounds, color=INK, linewidth=1.2, zorder=2)
    axes.plot(list(line.rates), [each.value for each in line.rates.values()], color=looks.color, **looks.marks())
    if line.alone:
        axes.axhline(line.alone.value, color=INK, linestyle="--", linewidth=0.8)
    axes.set_xticks(list(line.rates))
    axes.set_ylim(0, ROOM * max(each.value for each in (*line.rates.values(), line.alone) if each))
    axes.set_title(f"{line.first.title}\n{ablations.title(line.loader)}", fontsize=8)
    axes.set_xlabel(_counted(line), fontsize=8)
    axes.grid(True, axis="y")


def _data(lines: Sequence[Line]) -> pd.DataFrame:
    rows = [(*line.answer.question, line.first.row[0], loader, counted, number, *rate[:3])
            for line in lines
            for loader, counted, by_number in (
                (line.loader, _counted(line), line.rates), ("", "", {None: line.alone} if line.alone else {}))
            for number, rate in by_number.items()]  # fmt: skip
    return style.table(rows, "loader", "counted", "number", "photographs_per_s", "low", "high")


def _counted(line: Line) -> str:
    return ablations.counted(line.loader)[1]


def _sentence(line: Line) -> str:
    at = [f"{units.digits(rate.value)} at {count}" for count, rate in line.rates.items()]
    alone = f", {units.digits(line.alone.value)} from memory" if line.alone else ""
    about = f"{sentences.short(line.answer.question)}, {line.first.title}, {ablations.title(line.loader)}"
    return f"{about}: photographs per second by {_counted(line)} {', '.join(at)}{alone}"
