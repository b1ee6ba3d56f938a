"""What the years brought

A chart for each workload that versions years apart have answered on one machine in the same rounds: the time per step
over the month in which each version was released, with its 99 % interval, in its documented mode. A line joins the
versions of one software. Logarithmic; lower is faster.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from analysis import units
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates
from analysis.estimate.lineage import Version
from analysis.figures import style
from analysis.figures.style import INK, Picture
from analysis.load.table import Results
from analysis.text import sentences

ORDER = 13
SCOPE = "machine"
CHART = 2.7  # inches of height
BESIDE = 0.4  # of a year, on either side of what is drawn


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw each workload's question that has the longest history."""
    shown = list(lineage.with_history(answers).values())
    if not shown:
        return style.nothing("no two versions that lie years apart have answered one question")
    with style.style():
        figure, panels = style.grid(len(shown), CHART, more=1.2)
        for axes, answer in zip(panels, shown, strict=True):
            _panel(axes, results, answer)
        figure.legend(handles=_legend(results, shown), loc="outside lower center", ncols=3, fontsize=8)
    told = f"Time per step by year of release, for {units.count(len(shown), 'workload')}, in the documented modes."
    return Picture(figure, _data(shown), f"{told} {_sentence(shown[0])}")


def _sentence(answer: Estimates) -> str:
    return f"{units.workload_title(answer.question.workload)}. {' '.join(told(answer))}"


def told(answer: Estimates) -> list[str]:
    """Return what the years brought to each software, and who was and is the fastest, a sentence each."""
    known = lineage.versions(answer)
    old = lineage.of_then(known)
    then, now = (_fastest(own) for own in (old, [each for each in known if each not in old]))
    gains = [f"{_gain(each)}." for each in lineage.gains(answer)]
    return [*gains, f"The fastest then: {then} a step. The fastest now: {now}."]


def _fastest(known: Sequence[Version]) -> str:
    fastest = min(known, key=lambda each: each.time.value)
    return f"{fastest.cell.title} ({fastest.released[:4]}) with {units.seconds(fastest.time.value)}"


def _gain(gain: lineage.Gain) -> str:
    """Return what a software's years brought, with the interval where its versions share enough rounds."""
    older, newer = (f"{each.cell.title} ({each.released[:4]})" for each in (gain.older, gain.newer))
    if gain.ratio is None:
        return f"{older} and {newer} share no round"
    if gain.ratio.low is None:
        shared = units.count(gain.ratio.rounds, "round")
        return f"A step of {older} took {units.factor(gain.ratio.value)} times as long as one of {newer} in {shared}"
    if gain.claim == "unresolved":
        return f"{older} and {newer} are not significantly different"
    between = f", {units.between(gain.ratio, units.RATIO)}"
    return f"A step of {older} takes {units.factor(gain.ratio.value)} times as long as {newer}{between}"


def _panel(axes: Axes, results: Results, answer: Estimates) -> None:
    known = lineage.versions(answer)
    bounds = [bound for each in known for bound in each.time.bounds]
    unit = units.common(bounds, units.SECONDS)
    for own in lineage.by_software(known).values():
        if len(own) > 1:
            years, times = zip(*((each.year, each.time.value / unit.size) for each in own), strict=True)
            axes.plot(years, times, color=INK, alpha=0.35, linewidth=0.9, zorder=1)
    lows, highs = zip(*([bound / unit.size for bound in each.time.bounds] for each in known), strict=True)
    axes.vlines([each.year for each in known], lows, highs, color=INK, linewidth=1.0, zorder=2)
    for each in known:
        looks = style.look(results, answer.question.machine, each.cell)
        axes.plot(each.year, each.time.value / unit.size, linestyle="none", zorder=3, **looks.marks())
    style.log_scale(axes, [bound / unit.size for bound in bounds], "y")
    axes.set_xlim(known[0].year - BESIDE, known[-1].year + BESIDE)
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
    axes.grid(True, clip_on=False)
    axes.set_ylabel(f"time per {sentences.PER[answer.question.task]} ({unit.name})")
    axes.set_title(units.workload_title(answer.question.workload))


def _legend(results: Results, shown: Sequence[Estimates]) -> list[Line2D]:
    known = {each.cell.row: (each, answer) for answer in shown for each in lineage.versions(answer)}
    ordered = sorted(known.values(), key=lambda each: (each[0].released, each[0].cell.title))
    return [
        Line2D([], [], linestyle="none", label=_named(each),
               **style.look(results, answer.question.machine, each.cell).marks())
        for each, answer in ordered
    ]  # fmt: skip


def _named(version: Version) -> str:
    return f"{version.cell.title}, {version.released}"


def _data(shown: Sequence[Estimates]) -> pd.DataFrame:
    rows = [
        (*answer.question, *each.cell.row, each.released, *style.bounds(each.cell), each.cell.rounds)
        for answer in shown
        for each in lineage.versions(answer)
    ]
    return style.table(rows, "mode", "released", "step_s", "low_s", "high_s", "rounds")
