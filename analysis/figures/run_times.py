"""How far runs lie apart

Each mark is one run, a fresh process: its median over blocks; the bar is their geometric mean. Within a row, runs stand
in the order of their rounds, the first on top: a slope that all rows share is the machine, not a framework. Of very
many runs, some are drawn, evenly over the rounds, with each competitor's fastest and slowest; the CSV file has all.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from analysis import units
from analysis.estimate import aggregate
from analysis.estimate.estimates import Estimates
from analysis.figures import style
from analysis.figures.style import INK, Picture
from analysis.load.table import Results
from analysis.text import sentences

ORDER = 2
SCOPE = "workload"
SPREAD = 0.6  # of a row's height is for its rounds
MARK = 4.0  # points
MOST = 1200  # marks of a figure, which has 80 KB
FEWEST = 5  # of a competitor, beside its fastest and slowest
BAR: dict[str, Any] = {"color": INK, "linewidth": 1.4}
MEAN: dict[str, Any] = {"linestyle": "none", "marker": "|", "markersize": 11, "markeredgewidth": 1.4, "color": INK}


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw one panel per question, competitors by time, a mark for each run."""
    shown = [each for each in answers if each.measured]
    if not shown:
        return style.nothing("no run has a time")
    known = [(each, runs(results, each)) for each in shown]
    heights = [style.height(len(each.cells)) for each in shown]
    most = max(FEWEST, MOST // sum(len(each.measured) for each in shown))
    with style.style():
        figure, panels = style.below_each_other(heights)
        for axes, (each, own) in zip(panels, known, strict=True):
            _panel(axes, results, each, thinned(own, most))
        style.mode_legend(figure, Line2D([], [], label="geometric mean", **MEAN))
    told = [_finding(known), *(_sentence(*each) for each in known)]
    return Picture(figure, pd.concat([own for _, own in known]), ". ".join(told))


def runs(results: Results, answer: Estimates) -> pd.DataFrame:
    """Return a question's runs that have a time, in seconds per step, by competitor and round."""
    own = aggregate.runs_of(results.runs, answer.question)
    columns = [*answer.question._fields, "environment", "mode", "campaign", "round", "step_s", "is_steady"]
    measured = own.loc[own["step_s"].notna(), columns].astype({"round": int})
    return measured.sort_values(["environment", "mode", "round"])


def thinned(own: pd.DataFrame, most: int) -> pd.DataFrame:
    """Return at most so many runs of each competitor, evenly over its rounds, and its fastest and slowest."""
    rows = []
    for _, mine in own.groupby(["environment", "mode"], sort=False):
        even = np.linspace(0, len(mine) - 1, min(most, len(mine))).round().astype(int)
        times = mine["step_s"].to_numpy()
        rows.append(mine.iloc[sorted({*even.tolist(), int(times.argmin()), int(times.argmax())})])
    return pd.concat(rows)


def _panel(axes: Axes, results: Results, answer: Estimates, own: pd.DataFrame) -> None:
    cells = answer.by_time
    unit = units.common([cell.time.value for cell in cells if cell.time], units.SECONDS)
    places = style.rows_axes(axes, cells, sentences.short(answer.question), f"time per step of each run ({unit.name})")
    offsets = _offsets(own)
    for cell in answer.measured:
        mine, y = aggregate.of_row(own, cell.row), places[cell.row]
        looks = style.look(results, answer.question.machine, cell).marks()
        heights = [y + offsets[number] for number in mine["round"]]
        if cell.time:
            axes.vlines(cell.time.value / unit.size, y - SPREAD / 2, y + SPREAD / 2, zorder=2, **BAR)
        axes.plot(mine["step_s"] / unit.size, heights, linestyle="none", zorder=3, **{**looks, "markersize": MARK})
    style.log_scale(axes, [value / unit.size for value in own["step_s"]])


def _offsets(own: pd.DataFrame) -> dict[int, float]:
    """Return how far from the middle of a row each round stands, the first on top."""
    rounds = sorted(set(own["round"]))
    places = np.linspace(SPREAD / 2, -SPREAD / 2, len(rounds)) if len(rounds) > 1 else np.zeros(1)
    return dict(zip(rounds, places.tolist(), strict=True))


def _finding(known: Sequence[tuple[Estimates, pd.DataFrame]]) -> str:
    times = [(cell, aggregate.of_row(own, cell.row)["step_s"]) for answer, own in known for cell in answer.measured]
    spreads = [(float(mine.max() / mine.min()), style.label(cell)) for cell, mine in times if len(mine) > 1]
    if not spreads:
        return "No competitor has two runs to compare"
    (least, calm), (most, restless) = min(spreads), max(spreads)
    return (
        f"A competitor's slowest run takes {units.factor(least)} times as long as its fastest at best ({calm}) and "
        f"{units.factor(most)} times at worst ({restless})"
    )


def _sentence(answer: Estimates, own: pd.DataFrame) -> str:
    parts = []
    for cell in answer.by_time:
        mine = aggregate.of_row(own, cell.row)["step_s"]
        if len(mine):
            bounds = f"from {units.seconds(mine.min())} to {units.seconds(mine.max())}"
            parts.append(f"{style.label(cell)} {units.count(len(mine), 'run')} {bounds}")
    return f"Time per step of each run, {sentences.question(answer.question)}: {'; '.join(parts)}"
