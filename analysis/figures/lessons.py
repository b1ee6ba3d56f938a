"""What claims came to

A row for each claim; in it, a mark for each comparison's ratio. A bar is what the claim expects it to be beyond.
"""

import textwrap
from collections.abc import Sequence

import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from analysis import units
from analysis.articles import ARTICLES
from analysis.figures import style
from analysis.figures.style import GRID, INK, Picture
from analysis.found import Found
from analysis.lessons import Lesson
from analysis.lessons.claim_test import EQUAL, HELD, LOST, OPEN, expected

ORDER = 1
NO_TABLE = pd.DataFrame()  # the figure needs none
COLORS = {HELD: "#0072b2", LOST: "#d55e00", EQUAL: "#009e73", OPEN: GRID}  # apart for the colour-blind as well
MARKERS = {HELD: "o", LOST: "X", EQUAL: "D", OPEN: "s"}
LETTERS = 44  # of a claim in a line
LINE = 0.24  # inches that a line of a claim takes


def wanted(found: Found) -> dict[str, tuple[Sequence[Lesson]]]:
    """Return the claims of each article that have comparisons."""
    own = {f"articles/{name}": [each._replace(evidence=NO_TABLE) for each in found.lessons
                                if each.about.source == article.source and each.effects]
           for name, article in ARTICLES.items()}  # fmt: skip
    return {page: (judged,) for page, judged in own.items() if judged}


def draw(shown: Sequence[Lesson]) -> Picture:
    """Draw a row for each lesson, in their order."""
    titles = ["\n".join(textwrap.wrap(each.title, LETTERS)) for each in shown]
    data = pd.DataFrame(
        [(each.title, *effect.sides, effect.question.workload, effect.question.precision,
          effect.question.device, effect.ratio.value, *effect.ratio.bounds, effect.verdict)
         for each in shown for effect in each.effects],
        columns=[
            "claim", "time_of", "over_that_of", "workload", "precision", "device", "ratio", "low", "high", "verdict",
        ],
    )  # fmt: skip
    places = {each.title: place for place, each in enumerate(shown)}
    with style.style():
        figure = Figure(figsize=(style.WIDTH * 1.3, sum(LINE * (1 + title.count("\n")) for title in titles) + 1.4))
        axes = figure.subplots()
        style.rows(axes, titles, data["ratio"].tolist())
        for place, each in enumerate(shown):
            for edge in expected(each.about.expected).edges:
                axes.plot(edge, place, marker="|", markersize=18, color=INK, linestyle="none")
        placed = data.assign(place=data["claim"].map(places))
        for verdict, color in COLORS.items():  # one by one: a mark's outline is then written once, and not for each
            sns.scatterplot(
                placed[placed["verdict"] == verdict], x="ratio", y="place", color=color, marker=MARKERS[verdict],
                label=verdict, edgecolor=INK, s=40, ax=axes, zorder=3,
            )  # fmt: skip
        axes.set(xlabel="ratio; a bar is what the claim expects it to be beyond, or within", ylabel="")
        axes.legend(loc="upper left", bbox_to_anchor=(0, -0.12), ncols=2, frameon=False)
    told = f"{units.count(len(data), 'comparison')} of {units.count(len(shown), 'claim')}"
    return Picture(figure, data, f"Ratios of {told}, one row per claim. The table above has the verdicts.")
