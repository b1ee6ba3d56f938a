"""Figures of results that are usual, as SVG."""

import campaign

from analysis import figures
from analysis.estimate.estimates import estimate_all
from analysis.figures import style
from analysis.load.table import read_results
from analysis.site import render
from bench.cases import FED

NAMES = ("red", "blue", "green")
CASES = [campaign.case(name) for name in NAMES]
FIGURES = sorted(figures.found())


def usual(name):
    """Return the cases that a figure is tried with."""
    tasks = getattr(figures.found()[name], "TASKS", ())
    if tasks == FED:
        loaders = ("", "image_files", "image_files+1", "image_files+2")
        return [campaign.fed(each, loader) for each in NAMES for loader in loaders]
    make = campaign.over_data if "epochs" in tasks else campaign.case
    return [
        make(each, mode, batch_size=size) for each in NAMES for mode in ("eager", "compiled") for size in (128, 256)
    ]


def drawn(folder, name, times=None, cases=None):
    cases = cases or usual(name)
    times = times or campaign.noisy({"red": 0.01, "blue": 0.02, "green": 0.03})
    results = read_results(campaign.write(folder, campaign.lines(cases, times)))
    module = figures.found()[name]
    results = results.ablations if getattr(module, "TASKS", ()) == FED else results
    runs = results.runs[results.runs["is_default"].astype(bool)] if hasattr(module, "AMONG_DEFAULTS") else results.runs
    answers = estimate_all(results._replace(runs=runs))
    ((machine, own),) = results.campaigns.items()
    seen = render.seen(results, machine, answers, own.environments)
    return module.draw(seen, answers)  # all that a figure may depend on, since it is kept by that


def of_lines(folder, name, lines):
    """Return a figure of a campaign's lines."""
    results = read_results(campaign.write(folder, lines))
    return figures.found()[name].draw(results, estimate_all(results))


def as_svg(picture):
    return style.svg(picture.figure, "a title", picture.alt)


def without_blue(about, _number):
    return "out_of_memory" if about["environment"] == "blue" else 0.01


def marks(axes):
    """Return what a chart has of marks: lines that have any."""
    return [line for line in axes.lines if line.get_marker() not in ("None", None)]
