"""What the years brought

A chart for each network that versions years apart have run on one machine, in the same rounds. It shows the time per
step by month of release, with its 99 % interval, in the documented mode. A line joins the versions of one software;
dots are other software. The scale is logarithmic, and lower is faster.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, MaxNLocator

from analysis import releases, units
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates, Question
from analysis.figures import style
from analysis.figures.style import INK, Look, Picture
from analysis.found import Found
from analysis.groups import grouped

ORDER = 2
CHART = 2.7  # inches of height
BESIDE = 0.4  # of a year, on either side of what is drawn
MOST = 7  # software with a colour and a line
OTHER, OTHERS = Look(style.UNKNOWN.color, "."), "other software"


class Mark(NamedTuple):
    """A version: its software, the year of its release, its time in seconds per step, and how it is drawn."""

    software: str
    year: float
    time: tuple[float, float, float]  # with the bounds of its interval, or three times the same
    look: Look
    row: Sequence[Any]  # of the CSV file


class Chart(NamedTuple):
    """A workload's chart: its versions, the oldest first."""

    title: str
    marks: Sequence[Mark]


def wanted(found: Found) -> dict[str, tuple[Sequence[Chart]]]:
    """Return the charts of the machine with most versions."""
    for own in known(found).values():
        return {"then_and_now": ([_chart(found, answer) for answer in own],)}
    return {}


def known(found: Found) -> dict[str, list[Estimates]]:
    """Return, by machine, that with most versions first, each workload's question with a history."""
    own = {machine: lineage.with_history([each for each in found.answers if each.question.machine == machine])
           for machine in found.results.machines}  # fmt: skip
    ordered = sorted(own.items(), key=lambda item: -sum(len(lineage.versions(each)) for each in item[1].values()))
    return {machine: list(answers.values()) for machine, answers in ordered if answers}


def _chart(found: Found, answer: Estimates) -> Chart:
    machine, marks = answer.question.machine, []
    for each in lineage.versions(answer):
        look = style.look_of(each.cell.row[0], found.results.environment(machine, each.cell.row[0]))
        times = (each.time.value, *each.time.bounds)
        row = (*answer.question, *each.cell.row, each.released, *each.time[:3], each.cell.rounds)
        marks.append(Mark(lineage.software(each.cell.title), each.year, times, look, row))
    return Chart(units.workload_title(answer.question.workload), marks)


def draw(charts: Sequence[Chart]) -> Picture:
    """Draw each workload's chart, two beside each other."""
    named = _named(charts)
    with style.style():
        lines = -(-len(charts) // 2)
        figure = Figure(figsize=(style.WIDTH * 1.6, CHART * lines + 0.8))
        panels = list(figure.subplots(lines, 2, squeeze=False).ravel())
        for axes in panels[len(charts) :]:
            axes.remove()
        for axes, chart in zip(panels, charts, strict=False):
            _panel(axes, chart, named)
        figure.supylabel("time per step")
        known = [(name, {"color": look.color, **look.marks()}) for name, look in named.items()]
        style.legend(figure, [*known, (OTHERS, {"linestyle": "none", **OTHER.marks()})], 3, 9)
    columns = (*Question._fields, "environment", "mode", "released", "step_s", "low_s", "high_s", "rounds")
    data = pd.DataFrame([mark.row for chart in charts for mark in chart.marks], columns=list(columns))
    networks = units.count(len(charts), "network")
    return Picture(figure, data, f"Time per step by year of release, for {networks}. The table below has the ratios.")


def _by_software(chart: Chart) -> dict[str, list[Mark]]:
    return grouped(chart.marks, lambda mark: mark.software)


def _panel(axes: Axes, chart: Chart, named: Collection[str]) -> None:
    bounds = [bound for each in chart.marks for bound in each.time[1:]]
    unit = units.common(bounds, units.SECONDS)
    years = [each.year for each in chart.marks]
    lows, highs = ([each.time[place] / unit.size for each in chart.marks] for place in (1, 2))
    axes.vlines(years, lows, highs, color=INK, linewidth=1.0, zorder=2)
    for name, own in sorted(_by_software(chart).items(), key=lambda item: item[0] in named):
        look = own[-1].look if name in named else OTHER
        axes.plot([each.year for each in own], [each.time[0] / unit.size for each in own], color=look.color,
                  linewidth=0.9 if name in named else 0, zorder=3, **look.marks())  # fmt: skip
    style.log_scale(axes, [bound / unit.size for bound in bounds], "y")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.set_xlim(years[0] - BESIDE, years[-1] + BESIDE)
    axes.xaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.grid(True, clip_on=False)
    axes.set_title(f"{chart.title} ({unit.name})")


def _named(charts: Sequence[Chart]) -> dict[str, Look]:
    """Return the software that has several versions in most charts, with its newest look, for the legend."""
    known = [item for chart in charts for item in _by_software(chart).items()]
    often = Counter(name for name, marks in known if marks[-1].year - marks[0].year >= releases.YEARS)
    newest = {name: marks[-1].look for name, marks in known}
    return {name: newest[name] for name, _ in often.most_common(MOST)}
