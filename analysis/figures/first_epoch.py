"""The first epoch against a later one

Mark: an epoch after the first, with its 99 % interval. Before it, with compiler caches emptied: bar, the first step;
ring, the first epoch, which holds that step; arrow, import and build and the first epoch together, from the start of
the process. Where no network of the article was trained over data, ring and mark are the first step and a steady one:
the axis says which. Means over the batch sizes and optimisers that all networks shown were measured at, in default
modes; logarithmic axes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from analysis import units
from analysis.estimate import aggregate, measures
from analysis.estimate.cells import mean_s
from analysis.estimate.estimates import Estimates, in_default_mode
from analysis.figures import mean_time, style, time_by_model
from analysis.figures.style import INK, Picture
from analysis.load.table import Results
from analysis.stats import Row
from analysis.text import sentences
from bench.cases import EPOCHS

ORDER = 13
SCOPE = "article"
TASKS = time_by_model.TASKS
HOLLOW: dict[str, Any] = {"linestyle": "none", "markersize": 9, "markerfacecolor": "none", "markeredgecolor": INK,
                          "markeredgewidth": 0.9}  # fmt: skip
NUMBERS = {"first_step_s": measures.first_step_s, "first_s": measures.first_s, "until_its_end_s": measures.started_s}
MARKERS = {"first_step_s": "|", "first_s": "o", "until_its_end_s": ">"}

Early = Mapping[str, Mapping[Row, float]]  # by the names of NUMBERS


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw a chart for the mean over all networks and for each: its first epoch and a later one."""
    own = aggregate.over_data(answers) or aggregate.best(answers)
    block = next(iter(aggregate.blocks(own)), [])
    wanted = [key for key in NUMBERS if key != "first_step_s" or own[0].question.task in EPOCHS] if own else []
    found = {key: aggregate.means(results, block, NUMBERS[key]) for key in wanted}
    early = {name: {key: {cell.row: mean_s(cell) for cell in found[key][name].measured} for key in wanted}
             for name in found.get("first_s", {})}  # fmt: skip
    means = {name: in_default_mode(each) for name, each in aggregate.means(results, block).items()}
    shown = {
        name: each for name, each in means.items() if {cell.row for cell in each.measured} & {*early[name]["first_s"]}
    }
    if not shown:
        return style.nothing("no first epoch and no first step of this article's networks was timed")
    with style.style():
        figure, panels = style.grid(len(shown), style.height(max(len(each.cells) for each in shown.values())))
        for axes, (name, each) in zip(panels, shown.items(), strict=True):
            _panel(axes, results, each, early[name], mean_time.title(name))
        per = sentences.PER[block[0].question.task]
        meant = {"first_step_s": "first step", "first_s": f"first {per}", "until_its_end_s": "with import and build"}
        keys = [Line2D([], [], marker=MARKERS[key], label=meant[key], **HOLLOW) for key in wanted]
        style.mode_legend(figure, *keys)
    told = (_sentence(name, each, early[name]) for name, each in shown.items())
    return Picture(figure, _data(shown, early), ". ".join(told))


def _panel(axes: Axes, results: Results, answer: Estimates, early: Early, title: str) -> None:
    per = sentences.PER[answer.question.task]
    cells = [cell for cell in answer.measured if cell.time]
    known = [bound for cell in cells if cell.time for bound in cell.time.bounds]
    known += [values[cell.row] for values in early.values() for cell in cells if cell.row in values]
    unit = units.common(known, units.SECONDS)
    places = style.rows_axes(axes, answer.by_time, title, f"time per {per} ({unit.name})")
    for cell in cells:
        for key, values in early.items():
            if cell.row in values:
                axes.plot(values[cell.row] / unit.size, places[cell.row], marker=MARKERS[key], **HOLLOW)
        if cell.time:
            looks = style.look(results, answer.question.machine, cell)
            style.mark(axes, places[cell.row], cell.time, unit, looks)
    style.log_scale(axes, [value / unit.size for value in known])


def _data(shown: dict[str, Estimates], early: Mapping[str, Early]) -> pd.DataFrame:
    rows = [
        (mean_time.title(name), sentences.PER[each.question.task], *cell.row,
         *(early[name].get(key, {}).get(cell.row) for key in NUMBERS), *style.bounds(cell))
        for name, each in shown.items() for cell in each.by_time if cell.time
    ]  # fmt: skip
    columns = ["network", "of", "environment", "mode", *NUMBERS, "later_s", "low_s", "high_s"]
    return pd.DataFrame(rows, columns=columns)


def _sentence(name: str, answer: Estimates, early: Early) -> str:
    per = sentences.PER[answer.question.task]
    parts = [
        f"{style.label(cell)} first {units.seconds(early['first_s'].get(cell.row))}, "
        f"later {units.seconds(mean_s(cell))}"
        for cell in answer.measured
    ]
    return f"{mean_time.title(name)}, time per {per}: {'; '.join(parts)}"
