"""What the years brought

A chart for each workload that versions years apart have answered on one machine in the same rounds: the time per step
over the month in which each version was released, with its 99 % interval, in its documented mode. A line joins the
versions of one software; dots are other software. Logarithmic; lower is faster.
"""

from collections import Counter
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, MaxNLocator

from analysis import units
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates
from analysis.estimate.lineage import Version
from analysis.figures import style
from analysis.figures.style import INK, Look, Picture
from analysis.load.table import Results

ORDER = 13
SCOPE = "machine"
CHART = 2.7  # inches of height
BESIDE = 0.4  # of a year, on either side of what is drawn
MOST = 7  # software with a colour and a line
OTHER, OTHERS = Look(style.UNKNOWN["color"], ".", is_filled=True), "other software"


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw each workload's question that has the longest history."""
    shown = list(lineage.with_history(answers).values())
    if not shown:
        return style.nothing("no two versions that lie years apart have answered one question")
    named = _named(shown)
    with style.style():
        figure, panels = style.grid(len(shown), CHART, more=0.8)
        for axes, answer in zip(panels, shown, strict=True):
            _panel(axes, results, answer, named)
        figure.supylabel("time per step")
        figure.legend(handles=_legend(results, shown, named), loc="outside lower center", ncols=3, fontsize=9)
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


def _panel(axes: Axes, results: Results, answer: Estimates, named: Sequence[str]) -> None:
    known = lineage.versions(answer)
    bounds = [bound for each in known for bound in each.time.bounds]
    unit = units.common(bounds, units.SECONDS)
    lows, highs = zip(*([bound / unit.size for bound in each.time.bounds] for each in known), strict=True)
    axes.vlines([each.year for each in known], lows, highs, color=INK, linewidth=1.0, zorder=2)
    for name, own in sorted(lineage.by_software(known).items(), key=lambda item: item[0] in named):
        years, times = zip(*((each.year, each.time.value / unit.size) for each in own), strict=True)
        looks = _looks(results, answer, own[-1]) if name in named else OTHER
        axes.plot(years, times, color=looks.color, linewidth=0.9 if name in named else 0, zorder=3, **looks.marks())
    style.log_scale(axes, [bound / unit.size for bound in bounds], "y")
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axes.set_xlim(known[0].year - BESIDE, known[-1].year + BESIDE)
    axes.xaxis.set_major_locator(MaxNLocator(3, integer=True))
    axes.grid(True, clip_on=False)
    axes.set_title(f"{units.workload_title(answer.question.workload)} ({unit.name})")


def _looks(results: Results, answer: Estimates, version: Version) -> Look:
    return style.look(results, answer.question.machine, version.cell)._replace(is_filled=True)


def _legend(results: Results, shown: Sequence[Estimates], named: Sequence[str]) -> list[Line2D]:
    newest = {name: (answer, own[-1]) for answer in shown
              for name, own in lineage.by_software(lineage.versions(answer)).items()}  # fmt: skip
    looks = [(name, _looks(results, *newest[name])) for name in named]
    lines = [Line2D([], [], color=own.color, label=name, **own.marks()) for name, own in looks]
    return [*lines, Line2D([], [], linestyle="none", label=OTHERS, **OTHER.marks())]


def _named(shown: Sequence[Estimates]) -> list[str]:
    """Return the software that has several versions in most charts: no more than a legend may hold."""
    often = Counter(gain.software for answer in shown for gain in lineage.gains(answer))
    return [name for name, _ in often.most_common(MOST)]


def _data(shown: Sequence[Estimates]) -> pd.DataFrame:
    rows = [
        (*answer.question, *each.cell.row, each.released, *style.bounds(each.cell), each.cell.rounds)
        for answer in shown
        for each in lineage.versions(answer)
    ]
    return style.table(rows, "mode", "released", "step_s", "low_s", "high_s", "rounds")
