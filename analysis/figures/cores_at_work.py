"""Cores at work while a network is fed

How many cores were busy over the passes of one run, by loader (rows) and environment (columns), and the share of a GPU
where there is one (dashed). A network that waits leaves its core idle, but for what decodes on it; workers take others.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis.estimate import aggregate
from analysis.estimate.estimates import Estimates
from analysis.figures import style
from analysis.figures.style import INK, Picture
from analysis.load.table import Results
from analysis.text import loaders
from analysis.units import workload_title
from bench.cases import FED

ORDER = 15
SCOPE = "article"
TASKS = FED
TALL = 0.75  # inches of a panel


class Trace(NamedTuple):
    """What the machine did in one run, sampled."""

    environment: str
    title: str
    loader: str  # empty: none
    seconds: list[float]
    cores: list[float]
    gpu: list[float | None]


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw a panel for each loader of each environment, of the first network that was fed."""
    answer = next((each for each in answers if each.measured), None)
    traces = list(_traces(results, answer)) if answer else []
    if answer is None or not traces:
        return style.nothing("no network was fed while the machine was sampled")
    titles = dict(sorted({(each.environment, each.title) for each in traces}))
    rows = sorted({each.loader for each in traces})
    most = max(max(each.cores) for each in traces)
    with style.style():
        figure = Figure(figsize=(style.WIDTH * 1.6, TALL * len(rows) + 0.8))
        panels = figure.subplots(len(rows), len(titles), squeeze=False, sharey=True)
        places = {(loader, name): panels[row][column]
                  for row, loader in enumerate(rows) for column, name in enumerate(titles)}  # fmt: skip
        for each in traces:
            _panel(places[each.loader, each.environment], results, answer, each)
        for (loader, name), axes in places.items():
            axes.set_ylim(0, 1.1 * most)
            axes.tick_params(labelsize=6)
            axes.locator_params(nbins=3)  # ticks of some fifty panels weigh more than what they show
            if not axes.lines:
                axes.axis("off")
            if loader == rows[0]:
                axes.set_title(titles[name], fontsize=7)
        for row, loader in zip(panels, rows, strict=True):
            label = loaders.named(loader).replace(", ", ",\n")
            row[0].set_ylabel(label, fontsize=6, rotation=0, ha="right", va="center")
            row[0].axis("on")  # for its label
            row[0].xaxis.set_visible(bool(row[0].lines))
        figure.supxlabel("seconds", fontsize=7)
    return Picture(figure, _data(traces), _sentence(answer, traces))


def _panel(axes: Axes, results: Results, answer: Estimates, trace: Trace) -> None:
    cell = next(each for each in answer.measured if each.row[0] == trace.environment)
    color = style.look(results, answer.question.machine, cell).color
    axes.plot(trace.seconds, trace.cores, color=color, linewidth=1.0)
    shares = [(at, share) for at, share in zip(trace.seconds, trace.gpu, strict=True) if share is not None]
    if shares:
        axes.plot(*zip(*shares, strict=True), color=INK, linewidth=0.8, linestyle="dashed")


def _traces(results: Results, answer: Estimates) -> Iterator[Trace]:
    """Yield the trace of the newest run of each competitor that has one."""
    runs = aggregate.runs_of(results.runs, answer.question)
    for cell in answer.measured:
        known = [each for each in aggregate.of_row(runs, cell.row)["utilization"] if isinstance(each, list) and each]
        if known:
            seconds, cores, gpu = zip(*known[-1], strict=True)
            yield Trace(cell.row[0], cell.title, loaders.fed_by(cell), list(seconds), list(cores), list(gpu))


def _data(traces: Sequence[Trace]) -> pd.DataFrame:
    rows = [(each.environment, each.loader, *point)
            for each in traces for point in zip(each.seconds, each.cores, each.gpu, strict=True)]  # fmt: skip
    return pd.DataFrame(rows, columns=["environment", "loader", "at_s", "cores", "gpu_share"])


def _sentence(answer: Estimates, traces: Sequence[Trace]) -> str:
    means = [(sum(each.cores) / len(each.cores), each) for each in traces]
    told = ", ".join(f"{each.title} with {loaders.named(each.loader)} {mean:.1f}" for mean, each in means)
    least, most = (f"{pick(mean for mean, _ in means):.1f}" for pick in (min, max))
    title = workload_title(answer.question.workload)
    return f"{title} kept {least} to {most} cores at work. In the mean: {told}"
