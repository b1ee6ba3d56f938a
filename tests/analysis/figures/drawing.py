"""Figures of results that are usual, as SVG."""

import campaign
import shown
from claims import RED_OVER_BLUE, judged

from analysis import figures
from analysis.articles import ARTICLES
from analysis.compare import history
from analysis.figures import style
from analysis.series import Release, Series
from bench import registry

NAMES = ("red", "blue", "green")
CASES = [campaign.case(name) for name in NAMES]
FIGURES = sorted(figures.found())
ROW = next(iter(registry.environments().values()))
RELEASES = [Release(name, ROW._replace(name=name, title=name, released=f"202{place}-01"), ROW)
            for place, name in enumerate(NAMES, 3)]  # fmt: skip
COLOURS = Series("colours", "Colours", "colour", ("#d55e00", "o"), RELEASES)


def found(folder, times=None, cases=CASES, rounds=8):
    """Return what pages are made of, with one claim of an article."""
    made = shown.found(
        folder, campaign.lines(cases, times or campaign.noisy({"red": 0.01, "blue": 0.02, "green": 0.03}), rounds)
    )
    tracks = [track for answer in made.answers for track in history.tracks(answer, {"colours": COLOURS})]
    return made._replace(
        history=tracks, lessons=[judged(made.results, RED_OVER_BLUE._replace(source=ARTICLES["cnn_zoo"].source))]
    )


def drawn(folder, name, **about):
    """Return a figure of usual results as the first page that shows it has it."""
    module = figures.found()[name]
    return module.draw(*next(iter(module.wanted(found(folder, **about)).values())))


def as_svg(picture):
    return style.svg(picture.figure, "a title", picture.alt)
