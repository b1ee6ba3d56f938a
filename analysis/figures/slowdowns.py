"""How much slower each environment is than the fastest

A row for each machine, or kind of network; in it, a mark for each environment: its time as a multiple of the fastest's.
Lines are 99 % intervals, or the range over machines. Further left is faster.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import kinds
from analysis.estimate import standing
from analysis.estimate.estimates import Estimates
from analysis.figures import style
from analysis.figures.style import Look, Picture
from analysis.found import Found
from analysis.text import sentences
from bench import registry

ORDER = 0
BY_MACHINE, BY_KIND = "time as a multiple of the fastest (99 % interval)", "time as a multiple of the fastest (range)"
WIDE, LANE, GAP = 4.7, 0.125, 0.32  # inches: a telephone shows so wide a figure without shrinking its words much
WORDS, SIZE = 8.5, 5.5  # points, of text and of marks
MOST_WORDS = 55


class Mark(NamedTuple):
    """One environment in a row: its slow-down, and how far that reaches."""

    name: str
    look: Look
    value: float | None  # None draws the reach alone
    low: float
    high: float


class Line(NamedTuple):
    """A row: its label, of up to two lines, and its marks."""

    label: str
    marks: Sequence[Mark]


def wanted(found: Found) -> dict[str, tuple[Sequence[Line], str]]:
    """Return the rows of each network that was measured, and those of the home page, with the unit of the axis."""
    rows: dict[str, list[Line]] = {}
    for name in registry.workload_names():
        standings = standing.standings(found.defaults, list(found.names), name)
        marks = [(answer, list(_marks(found, answer))) for each in standings for answer in each.answers]
        rows[f"workloads/{name}"] = [Line(_label(found, answer), own) for answer, own in marks if own]
    kinds_of = [Line(f"{row.kind}\n{row.device}", [
                    Mark(name, style.look_of(_default(name, name), None), None, span.low, span.high)
                    for name, span in sorted(row.ranges.items(), key=lambda item: standing.place(item[0]))])
                for row in kinds.grid(found)]  # fmt: skip
    every = {page: (lines, BY_MACHINE) for page, lines in rows.items()} | {"home": (kinds_of, BY_KIND)}
    return {page: data for page, data in every.items() if data[0]}


def _label(found: Found, answer: Estimates) -> str:
    machine = answer.question.machine
    few = ["1 campaign"] if len(found.campaigns(machine)) == 1 else []  # which says less than many
    return "\n".join([found.names[machine], sentences.conditions(answer.question), *few])


def _marks(found: Found, answer: Estimates) -> Iterator[Mark]:
    if len(answer.measured) < 2:
        return
    known = standing.slow_downs(answer)
    for cell in sorted(answer.measured, key=lambda each: standing.place(standing.family(each.title))):
        ratio = cell.to_fastest.ratio if cell.to_fastest else None
        value = known[standing.family(cell.title)]
        low, high = ratio.bounds if ratio and ratio.low is not None else (value, value)
        environment = _default(standing.family(cell.title), cell.row[0])  # whatever version was measured
        look = style.look_of(environment, found.results.environment(answer.question.machine, cell.row[0]))
        yield Mark(standing.family(cell.title), look, value, low, high)


def _default(family: str, otherwise: str) -> str:
    """Return the environment of a family that is measured by default."""
    names = {standing.family(each.title): each.name for each in registry.environments().values() if each.is_default}
    return names.get(family, otherwise)


def draw(lines: Sequence[Line], unit: str) -> Picture:
    """Draw a row for each line, its marks below each other in the order of the legend."""
    fullest = sorted(lines, key=lambda line: -len(line.marks))
    names = list(dict.fromkeys(mark.name for line in fullest for mark in line.marks))
    lanes = len(names)
    tall = len(lines) * (lanes * LANE + GAP) + 0.95 + 0.2 * (lanes // 3)
    with style.style():
        figure = Figure(figsize=(WIDE, tall))
        axes = figure.subplots()
        for place, line in enumerate(lines):
            _line(axes, place, line, names)
        bounds = [bound for line in lines for mark in line.marks for bound in (mark.low, mark.high) if bound > 0]
        style.rows(axes, [line.label for line in lines], bounds, WORDS)
        axes.tick_params(axis="x", labelsize=WORDS)
        axes.set_xlabel(unit, fontsize=WORDS)
        looks = {mark.name: mark.look for line in lines for mark in line.marks}
        marks = [(name, {"linestyle": "none", **looks[name].marks(SIZE)}) for name in names]
        style.legend(figure, marks, 2, WORDS, handletextpad=0.2)
    rows = [(line.label.replace("\n", ", "), mark.name, mark.value, mark.low, mark.high)
            for line in lines for mark in line.marks]  # fmt: skip
    data = pd.DataFrame(rows, columns=["row", "environment", "slow_down", "low", "high"])
    return Picture(figure, data, _words(lines))


def _line(axes: Axes, place: int, line: Line, names: Sequence[str]) -> None:
    if place % 2 == 0:
        axes.axhspan(place - 0.5, place + 0.5, color=style.GRID, alpha=0.18, linewidth=0)
    for mark in line.marks:
        y = place + (names.index(mark.name) + 0.5) / len(names) * 0.84 - 0.42
        axes.hlines(y, mark.low, mark.high, color=mark.look.color, linewidth=2.2 if mark.value is None else 1.4)
        ends = [mark.low, mark.high] if mark.value is None else [mark.value]
        axes.plot(ends, [y] * len(ends), linestyle="none", zorder=3, **mark.look.marks(SIZE))


def _words(lines: Sequence[Line]) -> str:
    """Return the fastest and the slowest of each row, as long as a figure's words may be."""
    told = "Slow-down against the fastest"
    for line in lines:
        least, most = (choose(line.marks, key=lambda mark: mark.value or mark.high) for choose in (min, max))
        label = line.label.splitlines()[0]
        more = f". {label[:1].upper()}{label[1:]}: {least.name} fastest, {most.name} {most.value or most.high:.1f}x"
        if len(f"{told}{more}".split()) > MOST_WORDS:
            break
        told += more
    return f"{told}."
