"""Where the time goes until the first epoch ends: import, build, first step, and the rest of the first epoch."""

from collections.abc import Sequence

from analysis import units
from analysis.estimate import training
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.estimate.start import Parts, Start
from analysis.site.pages import Found, competitor, with_bounds
from analysis.text import html
from analysis.text.html import Markup
from analysis.units import workload_title

COLUMNS = ("import", "build", "first step", "rest of the first epoch", "first epoch", "until it ends",
           "more than a later epoch")  # fmt: skip
SMALL_PRINT = "Medians over runs with compiler caches emptied; small print: with what an earlier run left in them."


def table(found: Found, answers: Sequence[Estimates], caption: str) -> Markup:
    """Return the parts of each competitor's start; several networks are named in a column of their own."""
    several = len({each.question.workload for each in answers}) > 1
    known = starts(found, answers)
    unit = units.common([value for *_, own in known for value in own.first_epoch_s.values()], units.SECONDS)
    rows = [
        [
            *([workload_title(answer.question.workload)] if several else []),
            competitor(cell.title, cell.row, cell.is_default),
            *_cells(own, unit),
        ]
        for answer, cell, own in known
    ]
    header = [*(["network"] if several else []), "environment and mode", *(f"{name} ({unit.name})" for name in COLUMNS)]
    return html.table(f"{caption}. {SMALL_PRINT}", header, rows, "answers")


def starts(found: Found, answers: Sequence[Estimates]) -> list[tuple[Estimates, Cell, Start]]:
    """Return the start of each competitor that trained over data."""
    return [
        (answer, cell, known[cell.row].start)
        for answer in answers
        for known in (training.trained(found.results.runs, answer).summaries,)
        for cell in answer.measured
        if cell.row in known
    ]


def _cells(own: Start, unit: units.Unit) -> list[str]:
    parts = (own.first_step_s, own.rest_s, own.first_epoch_s, own.whole_s, own.more_s)
    return [unit(own.import_s), unit(own.build_s), *(cold_and_warm(each, unit) for each in parts)]


def cold_and_warm(part: Parts, unit: units.Unit) -> Markup:
    """Return a time of runs with emptied caches, below it that of the others, where there are any."""
    warm = part["warm"]
    return html.safe(unit(part["cold"])) if warm is None else with_bounds(unit(part["cold"]), f"warm {unit(warm)}")
