"""What compiling is worth

How many times as long a step takes without a compiler as with one, in the same environment: right of 1, compiling pays.
Both steps are made by the framework's own training loop, or both by hand; where nothing was compiled, there is no mark.
Ratios paired within rounds, geometric mean with its 99 % interval; logarithmic axes.
"""

from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes

from analysis import units
from analysis.estimate.contrasts import Contrast, compiling_contrasts
from analysis.estimate.estimates import Estimates, Question
from analysis.figures import style
from analysis.figures.style import INK, Look, Picture
from analysis.load.table import Results
from analysis.stats import Row
from analysis.text import sentences
from analysis.units import workload_title
from bench.cases import STEPS

ORDER = 14
SCOPE = "article"


def draw(results: Results, answers: Sequence[Estimates]) -> Picture:
    """Draw a chart for each question in which an environment has both kinds of mode."""
    groups = by_question(results, answers)
    if not groups:
        return style.nothing("no environment ran one of these networks both with and without a compiler")
    looks = {(each.question, cell.row): style.look(results, each.question.machine, cell)
             for each in answers for cell in each.cells}  # fmt: skip
    with style.style():
        figure, panels = style.grid(len(groups), style.height(max(map(len, groups.values()))))
        for axes, (question, contrasts) in zip(panels, groups.items(), strict=True):
            _panel(axes, question, contrasts, [looks[question, row(each)] for each in contrasts])
    return Picture(figure, _data(groups), ". ".join(_sentence(*item) for item in groups.items()))


def by_question(results: Results, answers: Sequence[Estimates]) -> dict[Question, list[Contrast]]:
    """Return the contrasts of those questions, the lightest network first."""
    asked = {each.question for each in answers}
    found: dict[Question, list[Contrast]] = {}
    for contrast in compiling_contrasts(results.of(STEPS), "step_s"):
        if contrast.question in asked:
            found.setdefault(contrast.question, []).append(contrast)
    return found


def row(contrast: Contrast) -> Row:
    """Return the environment of a contrast with its compiling mode."""
    return contrast.environment, contrast.compiling.mode


def _panel(axes: Axes, question: Question, contrasts: Sequence[Contrast], looks: Sequence[Look]) -> None:
    places = style.from_the_top(contrasts)
    axes.set_yticks(places, [label(each) for each in contrasts])
    axes.set_ylim(-0.7, len(contrasts) - 0.3)
    axes.set_title(f"{workload_title(question.workload)}\n{sentences.short(question)}", fontsize=8)
    axes.set_xlabel("time without a compiler / with one")
    axes.axvline(1, color=INK, linewidth=0.8)
    for y, each, own in zip(places, contrasts, looks, strict=True):
        style.mark(axes, y, each.ratio, units.RATIO, own)
    style.log_scale(axes, [1.0, *(bound for each in contrasts for bound in each.ratio.bounds)])


def label(contrast: Contrast) -> str:
    """Return a contrast's environment and its two modes."""
    return f"{contrast.title} · {contrast.modes}"


def _data(groups: dict[Question, list[Contrast]]) -> pd.DataFrame:
    rows = [
        (*question, each.environment, each.plain.mode, each.compiling.mode, *each.ratio)
        for question, contrasts in groups.items()
        for each in contrasts
    ]
    return style.table(rows, "plain_mode", "compiling_mode", "ratio", "low", "high", "rounds")


def _sentence(question: Question, contrasts: Sequence[Contrast]) -> str:
    parts = ", ".join(f"{label(each)} {units.factor(each.ratio.value)}" for each in contrasts)
    about = f"{workload_title(question.workload)}, {sentences.short(question)}"
    return f"{about}, time without a compiler over time with one: {parts}"
