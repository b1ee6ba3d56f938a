"""A table of competitors by column, each cell with its interval and rank, or with the reason why it is empty."""

from collections.abc import Mapping, Sequence

from analysis import units
from analysis.estimate import aggregate
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.site.pages import Found, competitor, in_full, with_bounds
from analysis.text import html, sentences
from analysis.text.html import Markup, Wide


def table(caption: str, columns: Mapping[str, Estimates], unit: units.Unit) -> Markup:
    """Return a table with a row for each competitor, in the order of the first column's ranks.

    Those that wait for a budget in every column are named below it.
    """
    rows: dict[tuple[str, str], dict[str, Cell]] = {}
    for title, answer in columns.items():
        for cell in answer.cells:
            rows.setdefault(cell.row, {})[title] = cell
    waits = {row for row, own in rows.items() if all(map(is_waiting, own.values()))}
    body = [_row(columns, own, unit) for row, own in rows.items() if row not in waits]
    made = [html.table(caption, ["environment and mode", *columns], body, "answers times")] if body else []
    return html.join([*made, waiting([next(iter(rows[row].values())) for row in rows if row in waits])])


def is_waiting(cell: Cell) -> bool:
    """Say whether a competitor waits for a budget that holds it, which says nothing of itself."""
    return cell.status == "over_budget"


def waiting(cells: Sequence[Cell]) -> Markup:
    """Return in one paragraph which competitors no budget held; nothing where there are none."""
    named = [f"{cell.title} ({cell.row[1]})" for cell in cells]
    told = f"Not measured yet, for no budget held it: {units.listing(named)}."
    return in_full(told, "source") if named else Markup("")


def _row(columns: Mapping[str, Estimates], own: Mapping[str, Cell], unit: units.Unit) -> list[str]:
    any_one = next(iter(own.values()))
    name = competitor(any_one.title, any_one.row, any_one.is_default)
    if all(cell.time is None for cell in own.values()):
        return [name, Wide(html.safe(any_one.reason))]
    return [name, *(_cell(answer, own.get(title), unit) for title, answer in columns.items())]


def _cell(answer: Estimates, cell: Cell | None, unit: units.Unit) -> Markup:
    if cell is None or cell.time is None:
        return html.element("span", html.safe(cell.reason if cell else "not asked", 160), kind="gap")
    rank = sentences.rank(answer, cell)
    ranked = [html.element("small", f"rank {rank}")] if rank != units.NONE else []
    return html.join([with_bounds(unit(cell.time.value), units.between(cell.time, unit)), *ranked])


def unit_of(answers: Sequence[Estimates]) -> units.Unit:
    """Return the unit that suits all times of some answers."""
    return units.common([cell.time.value for each in answers for cell in each.measured if cell.time], units.SECONDS)


def scaled(answer: Estimates, factor: float) -> Estimates:
    """Return an answer with all its times multiplied."""
    cells = [cell._replace(time=cell.time.scaled(factor)) if cell.time else cell for cell in answer.cells]
    return answer._replace(cells=cells)


def where(found: Found, answers: Sequence[Estimates]) -> str:
    """Return the hardware and the day of some answers, without which their numbers mean nothing."""
    about = answers[0].question
    place = f"{about.machine}, {sentences.precision(about)} on the {about.device.upper()}, {about.tier} tier"
    return f"{place}, measured {days(found, answers)}"


def days(found: Found, answers: Sequence[Estimates]) -> str:
    """Return the days on which the campaigns began that some answers come from."""
    known = {day for each in answers for cell in each.cells for day in cell.days}
    asked = {campaign.day for each in answers for campaign in found.results.answered[each.question.key]}
    return units.days(sorted(known or asked))


def facets(found: Found, block: Sequence[Estimates]) -> str:
    """Return the batch sizes and optimisers that a mean over a block's networks is over, and which it leaves out."""
    averaged = aggregate.facets(aggregate.averaged(found.results, block))
    others = [facet(*each) for each in aggregate.facets(aggregate.common(block)) if each not in averaged]
    left_out = f" (without {units.listing(others)}, of other rounds)" if others else ""
    return units.listing(facet(*each) for each in averaged) + left_out


def facet(optimizer: str, batch_size: int) -> str:
    """Return a batch size with its optimiser, as the title of a column."""
    return f"batch {batch_size}" if optimizer == "none" else f"batch {batch_size} with {optimizer}"
