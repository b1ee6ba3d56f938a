"""Time over the campaigns

A chart for each workload that several campaigns of the machine asked, at the question that most of them did, as far as
there is room, the most asked first: a mark for each environment in its default mode, with its 99 % interval, in the
newest campaigns that asked it, ten at most, the oldest first. One without a time leaves a gap, and a version is named
where it begins. Logarithmic axes; lower is faster. Campaigns share no rounds: a step between two of them may be the
day's.
"""

import itertools
import math
import textwrap
from collections.abc import Collection, Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from analysis import units
from analysis.compare import unpaired
from analysis.compare.baseline import CaseTimes
from analysis.compare.unpaired import Set
from analysis.estimate.estimates import Question
from analysis.figures import style
from analysis.figures.style import INK, Look, Picture
from analysis.load.campaigns import Campaign
from analysis.stats import interval
from analysis.stats.interval import Interval
from analysis.text import sentences
from bench import registry

NAME = "over_time"  # where a picture of figures/ has its file's
MOST = 12  # charts, those that most campaigns asked: a figure has 80 KB
MOST_MARKS = 260  # in all charts, for the same reason
AXES = 16  # marks, as heavy as what else is in a chart
NEWEST = 10  # campaigns in a chart
ACROSS = 3  # charts beside each other
CHART = (2.5, 2.0)  # inches
LETTERS = 34  # of a chart's title in a line
LABELS = 5  # below a chart, beside each other

Line = Sequence[CaseTimes | None]  # a place for each campaign, None where it gave no time
Chart = tuple[Question, Mapping[str, Line]]  # the lines by environment


def draw(campaigns: Sequence[Set], environments: Collection[str]) -> Picture:
    """Draw the campaigns of one machine, the oldest first: what these environments took in their default modes."""
    found = charts(campaigns, environments)[:MOST]
    if not found:
        return style.nothing("no two campaigns of this machine have a time for one question")
    places = [_asked(campaigns, *chart) for chart in found]
    known = found[: _room(found, places)]
    labels = _labels([each.campaigns[-1] for each in campaigns])
    with style.style():
        figure, panels = style.grid(len(known), CHART[1], CHART[0] * ACROSS, ACROSS, 0.4)
        for axes, chart, asked in zip(panels, known, places, strict=False):
            _panel(axes, [labels[place] for place in asked], chart[0], _at(asked, chart[1]))
        figure.legend(handles=_legend(known), loc="outside lower center", ncols=ACROSS, fontsize=8)
    return Picture(figure, _data(known, campaigns), ". ".join([_finding(known), *(_sentence(each) for each in known)]))


def charts(campaigns: Sequence[Set], environments: Collection[str]) -> list[Chart]:
    """Return the question of each workload that most campaigns answered, at least two; the most answered first."""
    found: dict[Question, dict[str, list[CaseTimes | None]]] = {}
    for place, own in enumerate(campaigns):
        for cell in own.cells.values():
            name = cell.case.environment
            if name in environments and cell.step_s and cell.is_default:
                lines = found.setdefault(unpaired.question_of(cell), {})
                lines.setdefault(name, [None] * len(campaigns))[place] = cell
    several = {each: lines for each, lines in found.items() if _times(lines) > 1}
    order = {name: place for place, name in enumerate(registry.workload_names())}
    ranked = sorted(several.items(), key=lambda chart: (-_times(chart[1]), order.get(chart[0].workload, 0), chart[0]))
    first = {question.workload: (question, dict(sorted(lines.items()))) for question, lines in reversed(ranked)}
    return list(reversed(first.values()))


def _room(found: Sequence[Chart], places: Sequence[Sequence[int]]) -> int:
    """Return how many of some charts, each with its campaigns' places, a figure has room for: one at least."""
    marks = (AXES + len(lines) * len(asked) for (_, lines), asked in zip(found, places, strict=True))
    return max(1, sum(total <= MOST_MARKS for total in itertools.accumulate(marks)))


def _asked(campaigns: Sequence[Set], question: Question, lines: Mapping[str, Line]) -> list[int]:
    """Return the places of the newest campaigns that asked a question, up to the last that gave a time."""
    last = max(place for line in lines.values() for place, cell in enumerate(line) if cell)
    asked = [place for place, own in enumerate(campaigns[: last + 1])
             if any(unpaired.question_of(cell) == question for cell in own.cells.values())]  # fmt: skip
    return asked[-NEWEST:]


def _at(places: Sequence[int], lines: Mapping[str, Line]) -> dict[str, Line]:
    """Return what lines have at some campaigns, without a line that has nothing there."""
    return {name: own for name, line in lines.items() if any(own := [line[place] for place in places])}


def _times(lines: Mapping[str, Line]) -> int:
    """Return how many campaigns have a time of the environment that most have one of."""
    return max(sum(cell is not None for cell in line) for line in lines.values())


def _mean(cell: CaseTimes) -> Interval:
    return interval.mean(list(cell.step_s.values()))


def _version(cell: CaseTimes) -> str:
    return unpaired.versions(cell.environment.get("loaded", {}))


def _last(line: Line) -> CaseTimes:
    return [cell for cell in line if cell][-1]


def _look(cell: CaseTimes) -> Look:
    compiles = cell.environment.get("modes", {}).get(cell.case.mode)
    return style.look_of(cell.case.environment, cell.environment, bool(compiles))


def _labels(campaigns: Sequence[Campaign]) -> list[str]:
    """Return the day of each campaign, with the hour where several began on one day."""
    several = len({each.day for each in campaigns}) < len(campaigns)
    return [each.began[5:10] + (f"\n{each.began[11:16]}" if several else "") for each in campaigns]


def _thinned(labels: Sequence[str]) -> list[str]:
    """Return as many labels as fit beside each other, the last among them, and nothing for the others."""
    step = -(-len(labels) // LABELS)
    return [label if (len(labels) - 1 - place) % step == 0 else "" for place, label in enumerate(labels)]


def _panel(axes: Axes, labels: Sequence[str], question: Question, lines: Mapping[str, Line]) -> None:
    means = {name: [_mean(cell) if cell else None for cell in line] for name, line in lines.items()}
    bounds = [bound for own in means.values() for mean in own if mean for bound in mean.bounds]
    unit = units.common(bounds, units.SECONDS)
    for name, line in lines.items():
        looks, heights = _look(_last(line)), [mean.value / unit.size if mean else math.nan for mean in means[name]]
        axes.plot(range(len(labels)), heights, color=looks.color, zorder=3, **looks.marks())
        for place, mean in enumerate(means[name]):
            if mean:
                low, high = (bound / unit.size for bound in mean.bounds)
                axes.vlines(place, low, high, color=INK, linewidth=1.0, zorder=2)
        _versions(axes, line, heights)
    style.log_scale(axes, [bound / unit.size for bound in bounds], "y")
    axes.set_xlim(-0.4, len(labels) - 0.6)
    axes.set_xticks(range(len(labels)), _thinned(labels))
    axes.tick_params(labelsize=7)
    axes.grid(True, axis="y")
    axes.set_ylabel(f"time per {sentences.PER[question.task]} ({unit.name})", fontsize=7)
    titles = [
        *textwrap.wrap(units.workload_title(question.workload), LETTERS),
        *textwrap.wrap(sentences.short(question), LETTERS),
    ]
    axes.set_title("\n".join(titles), fontsize=7)


def _versions(axes: Axes, line: Line, heights: Sequence[float]) -> None:
    """Name a version where it takes the place of another."""
    known = [(place, _version(cell)) for place, cell in enumerate(line) if cell]
    for (_, before), (place, version) in itertools.pairwise(known):
        if version != before:
            axes.annotate(textwrap.fill(version, LETTERS), (place, heights[place]), xytext=(0, 7),
                          textcoords="offset points", ha="center", fontsize=6)  # fmt: skip


def _legend(known: Sequence[Chart]) -> list[Line2D]:
    cells = {name: _last(line) for _, lines in known for name, line in lines.items()}
    return [
        Line2D([], [], linestyle="none", label=f"{cell.title} · {cell.case.mode}", **_look(cell).marks())
        for _, cell in sorted(cells.items())
    ]


def _data(known: Sequence[Chart], campaigns: Sequence[Set]) -> pd.DataFrame:
    """Return what is drawn, a row for each campaign; a missing time stays empty."""
    rows = []
    for question, lines in known:
        for name, line in lines.items():
            for own, cell in zip(campaigns, line, strict=True):
                mean = _mean(cell) if cell else None
                about = (own.campaigns[-1].name, own.campaigns[-1].day, _version(cell) if cell else None)
                rows.append((*question, name, _last(line).case.mode, *about, *(mean or (None,) * 4)))
    return style.table(rows, "mode", "campaign", "day", "versions", "time_s", "low_s", "high_s", "rounds")


def _finding(known: Sequence[Chart]) -> str:
    """Return by how much times moved from the first campaign that has one to the last."""
    ends = [([_mean(cell).value for cell in line if cell], _last(line), question)
            for question, lines in known for line in lines.values()]  # fmt: skip
    moved = sorted((own[-1] / own[0], f"{cell.title}, {units.workload_title(question.workload)}")
                   for own, cell, question in ends if len(own) > 1)  # fmt: skip
    (least, one), (most, other) = moved[0], moved[-1]
    if len(moved) == 1:
        return f"From its first campaign to its last, the time of {one} went to {units.factor(least)} times what it was"
    return (
        f"From the first campaign to the last, times went to between {units.factor(least)} ({one}) and "
        f"{units.factor(most)} times ({other}) what they were"
    )


def _sentence(chart: Chart) -> str:
    question, lines = chart
    parts = [
        f"{_last(line).title} " + ", ".join(
            f"{units.seconds(_mean(cell).value)} on {cell.campaign.day}" for cell in line if cell)
        for line in lines.values()
    ]  # fmt: skip
    return f"{units.workload_title(question.workload)}, {sentences.short(question)}: {'; '.join(parts)}"
