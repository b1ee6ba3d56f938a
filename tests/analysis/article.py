"""An article's section, made of results."""

import campaign
import shown

from analysis import articles
from analysis.articles import Section
from analysis.site.pages import ours

ARTICLES = articles.found()
ABOUT = Section(ours=["times"], workloads=["mnist_mlp"])


def found(folder, cases, times, change=lambda _: None):
    lines = campaign.lines(cases, times)
    for line in lines:
        change(line)
    return shown.found(folder, lines)


def made(folder, kind, cases, times=None, section=ABOUT, **more):
    times = times or campaign.noisy({"red": 0.010, "blue": 0.013})
    return ours.TABLES[kind](found(folder, cases, times, **more), section, "test-machine")


CASES = [campaign.case(name) for name in ("red", "blue")]
