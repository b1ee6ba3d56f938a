"""Mean time, by network and by framework

The arithmetic mean over the batch sizes and optimisers that all networks shown were measured at, in default modes, with
its 99 % interval: a chart for each network, and one for the mean over all of them. Logarithmic axes; further left is
faster. A competitor without a time at one of them has no mean.
"""

from collections.abc import Sequence

import pandas as pd

from analysis.estimate import aggregate
from analysis.estimate.estimates import Estimates, in_default_mode
from analysis.figures import step_time, style, time_by_model
from analysis.figures.style import Picture
from analysis.load.table import Results
from analysis.text import sentences
from analysis.units import workload_title

ORDER = 12
SCOPE = "article"
TASKS = time_by_model.TASKS


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw the first block of questions: the mean over all, then each network's."""
    means = in_default_modes(results, answers)
    if not means:
        return style.nothing("no network of this article has a time")
    with style.style():
        figure, panels = style.grid(len(means), style.height(max(len(each.cells) for each in means.values())))
        for axes, (name, each) in zip(panels, means.items(), strict=True):
            step_time.panel(axes, results, each, name)
        style.mode_legend(figure)
    return Picture(figure, _data(means), ". ".join(_sentence(*item) for item in means.items()))


def in_default_modes(results: Results, answers: Sequence[Estimates]) -> dict[str, Estimates]:
    """Return the mean over all networks, where there are several, and each network's, by title."""
    block = next(iter(aggregate.blocks(aggregate.best(answers))), [])
    means = {title(name): in_default_mode(each) for name, each in aggregate.means(results, block).items()}
    return {name: each for name, each in means.items() if each.measured}


def title(name: str) -> str:
    """Return the title of a network's mean, or of the mean over all."""
    return workload_title(name) if name else "All networks"


def _data(means: dict[str, Estimates]) -> pd.DataFrame:
    rows = [
        (name, each.question.task, *cell.row, *style.bounds(cell), cell.status)
        for name, each in means.items()
        for cell in each.by_time
    ]
    columns = ["networks", "task", "environment", "mode", "mean_s", "low_s", "high_s", "status"]
    return pd.DataFrame(rows, columns=columns)


def _sentence(name: str, answer: Estimates) -> str:
    return f"{name}, mean time per {sentences.PER[answer.question.task]}: {time_by_model.times(answer)}"
