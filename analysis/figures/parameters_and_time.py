"""Parameters and time, by network

Left, how many parameters a network has; right, its time in each environment's default mode: a mean over the batch sizes
and optimisers that all networks shown were measured at, with its 99 % interval. If parameters decided, both sides would
lean alike. Logarithmic axes.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from analysis import units
from analysis.estimate import aggregate
from analysis.estimate.estimates import Estimates, in_default_mode
from analysis.figures import style, time_by_model
from analysis.figures.style import INK, Picture
from analysis.load.table import Results
from analysis.text import sentences
from bench import registry

ORDER = 10
SCOPE = "article"
TASKS = time_by_model.TASKS


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw the first block of questions: networks from the smallest on, beside their times."""
    means = mean_by_workload(results, answers)
    if not means:
        return style.nothing("no network of this article has a time")
    with style.style():
        figure = Figure(figsize=(style.WIDTH * 1.3, time_by_model.height(means)))
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=(1, 2))
        unit = time_by_model.panel(right, results, means, "")
        _parameters(left, means)
        right.set_xlabel(f"mean time per {sentences.PER[means[0].question.task]} ({unit.name})")
        time_by_model.legend(figure, results, means)
    return Picture(figure, _data(means), ". ".join(_sentence(each) for each in means))


def mean_by_workload(results: Results, answers: Sequence[Estimates]) -> list[Estimates]:
    """Return each known network's mean over the facets all share, in default modes, the network with fewest first."""
    known = [each for each in aggregate.best(answers) if each.question.workload in registry.workload_names()]
    block = next(iter(aggregate.blocks(known)), [])
    means = [in_default_mode(each) for name, each in aggregate.means(results, block).items() if name]
    return sorted((each for each in means if each.measured), key=parameters)


def parameters(answer: Estimates) -> int:
    """Return how many parameters the network of an answer has."""
    return int(registry.workload(answer.question.workload).PARAMETERS)


def _parameters(axes: Axes, means: Sequence[Estimates]) -> None:
    counts = [parameters(each) / 1e6 for each in means]
    for y, value in zip(style.from_the_top(means), counts, strict=True):
        axes.plot(value, y, linestyle="none", marker="|", color=INK, markersize=14, markeredgewidth=2)
    style.log_scale(axes, counts)
    axes.set_xlabel("million parameters")


def _data(means: Sequence[Estimates]) -> pd.DataFrame:
    rows = [
        (each.question.workload, parameters(each), each.question.task, *cell.row, *style.bounds(cell))
        for each in means
        for cell in each.measured
    ]
    columns = ["workload", "parameters", "task", "environment", "mode", "mean_s", "low_s", "high_s"]
    return pd.DataFrame(rows, columns=columns)


def _sentence(answer: Estimates) -> str:
    count = units.digits(parameters(answer) / 1e6)
    return f"{answer.question.workload}, {count} million parameters: {time_by_model.times(answer)}"
