"""A run from block to block

Each block's time over the run, as its distance from the median of the last half. The band is what a steady run stays
within, the broken line where it is steady from: what lies before does not count. Shown are runs that reached no steady
state, of each competitor the one with the largest drift; where all did, or were too short to tell, the last run of the
fastest. In turns all blocks count, rounds tell whether there is a trend, and the last one is shown.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from analysis import units
from analysis.estimate import aggregate
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.figures import style
from analysis.figures.style import GRID, INK, Picture
from analysis.load.table import Results
from analysis.stats import Row
from analysis.text import sentences
from bench.steady import TOLERANCES

ORDER = 5
SCOPE = "workload"
MOST = 4  # charts, those with the largest drift first
FASTEST = 2
HEIGHT = 1.7  # inches of one chart
SHOWN = ("round", "block_s", "is_steady", "steady_from", "drift", "was_doubled", "in_turns")  # of a run

Trace = tuple[Estimates, Cell, Any]  # a question, a competitor, the row of one of its runs


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw one chart for each run shown, two beside each other."""
    unsteady = _unsteady(results, answers)
    shown = unsteady[:MOST] or _fastest(results, answers)
    if not shown:
        return style.nothing("no run has a time")
    with style.style():
        figure, charts = style.grid(len(shown), HEIGHT, style.WIDTH * 1.3, more=0)
        for axes, trace in zip(charts, shown, strict=True):
            _chart(axes, trace)
    words = ". ".join([_finding(unsteady, answers), *map(_sentence, shown)])
    return Picture(figure, pd.concat(map(_data, shown)), words)


def _unsteady(results: Results, answers: Sequence[Estimates]) -> list[Trace]:
    found = []
    for answer in answers:
        known = _runs(results, answer)
        for cell in answer.measured:
            runs = known[cell.row]
            unsteady = runs[runs["is_steady"] == False]  # noqa: E712  (None is "not tested")
            if cell.trend:  # all rounds share it
                found.append((abs(cell.trend), (answer, cell, runs.iloc[-1])))
            elif len(unsteady):
                drifts = unsteady["drift"].astype(float).abs().to_numpy()
                found.append((drifts.max(), (answer, cell, unsteady.iloc[drifts.argmax()])))
    return [trace for _, trace in sorted(found, key=lambda each: -each[0])]


def _fastest(results: Results, answers: Sequence[Estimates]) -> list[Trace]:
    return [
        (answer, cell, _runs(results, answer)[cell.row].iloc[-1])
        for answer in answers[:1]
        for cell in answer.by_time[:FASTEST]
        if cell.time
    ]


def _runs(results: Results, answer: Estimates) -> dict[Row, pd.DataFrame]:
    """Return the runs of each competitor that have a time, in the order of their rounds."""
    own = aggregate.runs_of(results.runs, answer.question)
    timed = own.loc[own["step_s"].notna(), [*aggregate.NAMED, *SHOWN]].sort_values("round")
    return {(environment, mode): runs for (environment, mode), runs in timed.groupby([*aggregate.NAMED])}


def _points(run: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return when each block ended, in seconds, and how far it is from the median of the last half, in per cent."""
    block_s = np.asarray(run["block_s"], float)
    return np.cumsum(block_s), 100 * (block_s / np.median(block_s[len(block_s) // 2 :]) - 1)


def _chart(axes: Axes, trace: Trace) -> None:
    answer, cell, run = trace
    ends, per_cent = _points(run)
    tolerance = 100 * TOLERANCES[answer.question.device]
    axes.axhspan(-tolerance, tolerance, color=GRID, alpha=0.35, linewidth=0)
    axes.plot(ends, per_cent, color=INK, linewidth=0.9)
    if run["is_steady"] and run["steady_from"]:
        axes.axvline(ends[int(run["steady_from"]) - 1], color=INK, linestyle="--", linewidth=0.8)
    axes.set_title(f"{style.label(cell)}\nround {run['round']}: {_state(run)}", fontsize=8)
    axes.set_xlabel("seconds of the run", fontsize=8)
    axes.set_ylabel("%", fontsize=8)


def _state(run: Any) -> str:
    if run["in_turns"]:
        return "in turns"
    state = "too short to tell" if run["is_steady"] is None else "steady" if run["is_steady"] else "no steady state"
    return f"{state}, doubled" if run["was_doubled"] else state


def _data(trace: Trace) -> pd.DataFrame:
    answer, cell, run = trace
    ends, per_cent = _points(run)
    about = dict(zip((*answer.question._fields, "environment", "mode"), (*answer.question, *cell.row), strict=True))
    return pd.DataFrame({"block_s": run["block_s"], "from_median_percent": per_cent, "end_s": ends}).assign(
        **about, round=run["round"], state=_state(run)
    )


def _finding(unsteady: Sequence[Trace], answers: Sequence[Estimates]) -> str:
    known = sum(len(answer.measured) for answer in answers)
    if not unsteady:
        return f"All runs of {units.count(known, 'time')} were steady, or too short to tell"
    return f"{len(unsteady)} of {units.count(known, 'time')} came with a run that never was steady"


def _sentence(trace: Trace) -> str:
    answer, cell, run = trace
    _, per_cent = _points(run)
    extent = f"blocks from {units.digits(per_cent.min())} to {units.digits(per_cent.max())} % of the median"
    return f"{sentences.short(answer.question)}, {style.label(cell)}, round {run['round']}: {_state(run)}, {extent}"
