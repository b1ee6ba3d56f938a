"""Time per step over releases

Each line is a series of releases of one package, measured in the same rounds. A thick segment is a significant change
from one release to the next. Bars are 99 % intervals. The scale is logarithmic, and lower is faster.
"""

import itertools
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from analysis import units
from analysis.compare.history import Track
from analysis.figures import style
from analysis.figures.style import INK, Look, Picture
from analysis.found import Found
from analysis.groups import grouped
from analysis.releases import year_of

ORDER = 5
NEW = 2022.0  # the year from which releases have the wide panel; older ones share a narrow one
BESIDE = 0.3  # of a year, on either side
HEIGHT = 3.4  # inches


class Mark(NamedTuple):
    """A release: year, version, seconds per step with the bounds of the interval, and whether that is a change."""

    year: float
    version: str
    time: tuple[float, float, float]
    is_changed: bool


class Line(NamedTuple):
    """A series with its releases, the oldest first."""

    title: str
    look: Look
    marks: Sequence[Mark]


def wanted(found: Found) -> dict[str, tuple[str, Sequence[Line]]]:
    """Return the lines of each workload, on the machine that measured most series."""
    tracks = grouped((track for track in found.history if track.timed), lambda track: track.question.machine)
    own = max(tracks.values(), key=len, default=[])
    return {
        f"releases/{workload}": (units.workload_title(workload), [_line(track) for track in each])
        for workload, each in grouped(own, lambda track: track.question.workload).items()
    }


def _line(track: Track) -> Line:
    marks = [
        Mark(year_of(point.release.row.released), point.release.version, (time.value, *time.bounds), point.is_changed)
        for point, time in track.timed
    ]
    return Line(track.series.title, Look(*track.series.look), marks)


def draw(title: str, lines: Sequence[Line]) -> Picture:
    """Draw a workload's series: releases of years ago in a narrow panel, those since 2022 in a wide one."""
    every = [mark for line in lines for mark in line.marks]
    unit = units.common([bound for mark in every for bound in mark.time[1:]], units.SECONDS)
    has_old = any(mark.year < NEW for mark in every)
    with style.style():
        figure = Figure(figsize=(style.WIDTH, HEIGHT))
        panels = list(
            figure.subplots(1, 1 + has_old, sharey=True, squeeze=False, width_ratios=[1, 4][-1 - has_old :])[0]
        )
        for axes, is_old in zip(panels[::-1], (False, True), strict=False):
            _panel(axes, [(line, [mark for mark in line.marks if (mark.year < NEW) == is_old]) for line in lines], unit)
        bounds = [bound / unit.size for mark in every for bound in mark.time[1:]]
        style.log_scale(panels[0], bounds, "y")
        panels[0].set_ylabel(f"time per step ({unit.name})")
        figure.suptitle(title, x=0.01, ha="left", fontsize=10, fontweight="bold")
        style.legend(figure, [(line.title, {"color": line.look.color, **line.look.marks()}) for line in lines], 3, 9)
    rows = [(line.title, mark.version, mark.year, *mark.time, mark.is_changed) for line in lines for mark in line.marks]
    columns = ["series", "version", "year", "step_s", "low_s", "high_s", "is_changed"]
    changed = units.count(sum(mark.is_changed for mark in every), "significant change")
    alt = f"{title}: time per step by date of release, {len(lines)} series, {changed}."
    return Picture(figure, pd.DataFrame(rows, columns=columns), alt)


def _panel(axes: Axes, lines: Sequence[tuple[Line, Sequence[Mark]]], unit: units.Unit) -> None:
    years = [mark.year for _, marks in lines for mark in marks]
    for line, marks in lines:
        for older, newer in itertools.pairwise(marks):
            axes.plot([older.year, newer.year], [older.time[0] / unit.size, newer.time[0] / unit.size],
                      color=line.look.color, linewidth=2.6 if newer.is_changed else 0.8, zorder=2)  # fmt: skip
        for mark in marks:
            axes.vlines(
                mark.year, mark.time[1] / unit.size, mark.time[2] / unit.size, color=INK, linewidth=0.8, zorder=2
            )
            axes.plot(mark.year, mark.time[0] / unit.size, zorder=3, **line.look.marks(5.5))
    axes.set_xlim(min(years) - BESIDE, max(years) + BESIDE)
    axes.xaxis.set_major_locator(MaxNLocator(5, integer=True))
    axes.grid(True)
