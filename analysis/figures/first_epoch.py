"""The first epoch against a later one

Ring: the first epoch, with the first step in it; mark: an epoch after it, with its 99 % interval. Where no network of
the article was trained over data, ring and mark are the first step, compiler caches emptied, and a steady step: the
axis says which. Means over the batch sizes and optimisers that all networks shown were measured at, in default modes;
logarithmic axes.
"""

from collections.abc import Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from analysis import drawing, together, words
from analysis.drawing import INK, Picture
from analysis.estimates import Estimates, Row
from analysis.figures import mean_time, time_by_model
from analysis.figures.overview import in_default_mode
from analysis.table import Results

ORDER = 13
SCOPE = "article"
TASKS = time_by_model.TASKS
RING: dict[str, Any] = {
    "marker": "o",
    "markersize": 9,
    "markerfacecolor": "none",
    "markeredgecolor": INK,
    "markeredgewidth": 0.7,
}


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw a chart for the mean over all networks and for each: its first epoch and a later one."""
    block = next(iter(together.blocks(together.best(answers))), [])
    first = {name: _values(each) for name, each in together.means(results, block, together.first_s).items()}
    means = {name: in_default_mode(each) for name, each in together.means(results, block).items()}
    shown = {name: each for name, each in means.items() if {cell.row for cell in each.measured} & set(first[name])}
    if not shown:
        return drawing.nothing("no first epoch and no first step of this article's networks was timed")
    with drawing.style():
        figure, panels = drawing.grid(len(shown), max(len(each.cells) for each in shown.values()))
        for axes, (name, each) in zip(panels, shown.items(), strict=True):
            _panel(axes, results, each, first[name], mean_time.title(name))
        per = words.PER[block[0].question.task]
        drawing.mode_legend(figure, Line2D([], [], linestyle="none", label=f"first {per}", **RING))
    sentences = (_sentence(name, each, first[name]) for name, each in shown.items())
    return Picture(figure, _data(shown, first), ". ".join(sentences))


def _values(answer: Estimates) -> dict[Row, float]:
    return {cell.row: cell.time.value for cell in answer.measured if cell.time}


def _panel(axes: Axes, results: Results, answer: Estimates, first: dict[Row, float], title: str) -> None:
    per = words.PER[answer.question.task]
    cells = [cell for cell in answer.measured if cell.time]
    known = [bound for cell in cells if cell.time for bound in cell.time.bounds]
    known += [first[cell.row] for cell in cells if cell.row in first]
    unit = words.common(known, words.SECONDS)
    places = drawing.rows_axes(axes, drawing.ordered(answer), title, f"time of a {per} ({unit.name})")
    for cell in cells:
        if cell.row in first:
            axes.plot(first[cell.row] / unit.size, places[cell.row], linestyle="none", **RING)
        if cell.time:
            looks = drawing.look(results.environment(answer.question.machine, cell.row[0]), cell)
            drawing.mark(axes, places[cell.row], cell.time, unit, looks)
    drawing.log_scale(axes, [value / unit.size for value in known])


def _data(shown: dict[str, Estimates], first: dict[str, dict[Row, float]]) -> pd.DataFrame:
    rows = [
        (mean_time.title(name), words.PER[each.question.task], *cell.row, first[name].get(cell.row), *cell.time[:3])
        for name, each in shown.items()
        for cell in drawing.ordered(each)
        if cell.time
    ]
    columns = ("network", "of", "environment", "mode", "first_s", "later_s", "low_s", "high_s")
    return pd.DataFrame(rows, columns=list(columns))


def _sentence(name: str, answer: Estimates, first: dict[Row, float]) -> str:
    per = words.PER[answer.question.task]
    parts = [
        f"{drawing.label(cell)} first {words.seconds(first.get(cell.row))}, later {words.seconds(cell.time.value)}"
        for cell in answer.measured
        if cell.time
    ]
    return f"{mean_time.title(name)}, time of a {per}: {'; '.join(parts)}"
