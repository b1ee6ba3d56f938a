"""The explorer: every published cell in a table to filter, sort and compare; without scripts, a plain one.

docs/assets/explorer.js builds its controls from the file that explorer_data.py describes, and hides the plain table.
"""

from collections.abc import Sequence

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.site.pages import NOTHING, Found, competitor, explorer_data, ratio, with_bounds
from analysis.text import html, sentences
from analysis.text.html import Markup, Wide
from bench.cases import FED

DATA, PAIRS = "explorer/cells.json", "explorer/pairs.json"  # below docs/generated
MOST = 400  # cells of the plain table; of more, a machine's in default modes that answer each workload's first question
HEADER = (
    "workload", "question", "version and mode", "rank", "time", "times the fastest", "first step, cold", "memory",
    "rounds",
)  # fmt: skip


def page(found: Found) -> str:
    """Return the fragment of the explorer's page."""
    if not found.answers:
        return str(NOTHING)
    tables = html.join(_tables(found))
    paths = [f"../generated/{each}" for each in (DATA, PAIRS)]
    links = [html.link(path, path.rpartition("/")[2]) for path in paths]
    source = html.join(["The data behind this page: ", links[0], ", and of all pairs ", links[1], "."])
    return (
        f'<div id="explorer" class="explorer" data-file="{paths[0]}" data-pairs="{paths[1]}">\n<div class="static">\n'
        f"{tables}</div>\n</div>\n{html.paragraph(source, 'source')}"
    )


def data(found: Found) -> dict[str, str]:
    """Return the files that the page's script reads, by their names."""
    known = {**explorer_data.frameworks(found.results), **explorer_data.frameworks(found.results.ablations)}
    changed = [each for each in found.changed if each.question.task not in FED]  # the article's page has loaders
    answers = [*found.answers, *changed]
    pairs = [pair for answer in answers for pair in explorer_data.pairs(answer)]
    return {
        DATA: explorer_data.text(explorer_data.columns(answers, known)),
        PAIRS: explorer_data.text(explorer_data.ratios(pairs)),
    }


def _tables(found: Found) -> list[Markup]:
    """Return a table for each tier and number of threads: these never stand in one."""
    answers, note = _chosen(found)
    tables: dict[tuple[str, int], list[Estimates]] = {}
    for each in answers:
        tables.setdefault((each.question.tier, each.question.threads), []).append(each)
    return [_table(own, f"{tier} tier, {units.count(threads, 'thread')}. {note}")
            for (tier, threads), own in sorted(tables.items())]  # fmt: skip


def _chosen(found: Found) -> tuple[Sequence[Estimates], str]:
    count = sum(len(each.cells) for each in found.answers)
    if count <= MOST:
        return found.answers, "All published cells"
    of_machines = {machine: found.first(machine) for machine in found.results.machines}
    cells = {machine: sum(len(each.cells) for each in first) for machine, first in of_machines.items()}
    most = max(cells, key=lambda machine: cells[machine])
    told = f"{cells[most]} of {count:,} cells: default modes at each workload's first question on {most}"
    return of_machines[most], f"{told}; a workload's page has the rest"


def _table(answers: Sequence[Estimates], title: str) -> Markup:
    rows = [_row(answer, cell) for answer in answers for cell in answer.cells]
    caption = f"{title[0].upper()}{title[1:]}. Small print: 99 % intervals. Equal ranks (=) are ties."
    return html.table(caption, HEADER, rows, "cells")


def _row(answer: Estimates, cell: Cell) -> list[str]:
    asked = [explorer_data.workload_link(answer.question.workload), sentences.question(answer.question)]
    name = [*asked, competitor(cell.title, cell.row, cell.is_default)]
    if cell.time is None:
        return [*name, Wide(html.safe(explorer_data.note(cell)))]
    unit = units.common([cell.time.value], units.SECONDS)
    note = explorer_data.note(cell)
    return [
        *name,
        html.element("b", sentences.rank(answer, cell)),
        with_bounds(units.with_unit(cell.time.value, unit), units.between(cell.time, unit)),
        ratio(cell),
        units.seconds(cell.first_step_cold_s),
        units.with_unit(cell.memory_bytes, units.common([cell.memory_bytes], units.BYTES)),
        html.join([sentences.rounds(cell), *([html.element("small", note, kind="note")] if note else [])]),
    ]
