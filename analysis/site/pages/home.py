"""The generated part of the home page: one look at the ranking of each workload, on each machine."""

from analysis import figures, units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.figures.style import Saved
from analysis.plugins import explained, title
from analysis.site.pages import (
    NOTHING,
    Found,
    about,
    agreement,
    columns,
    competitor,
    details,
    explorer_data,
    facts,
    figure,
    in_full,
    kinds,
    overall,
)
from analysis.stats import Row
from analysis.text import html, sentences
from analysis.text.html import Markup
from bench import registry

CAPTION = (
    "Rank, and time as a multiple of the fastest, in default modes. Rank 1 may be the fastest; another is one more "
    "than the number of those claimed faster, and 2 at least. Equal ranks (=) are ties."
)


def page(found: Found) -> str:
    """Return the home page's fragment."""
    if not found.results.machines:
        return str(NOTHING)
    machines = (_machine(found, machine, number) for number, machine in enumerate(found.results.machines, 1))
    return "\n".join([agreement.section(found), *machines])


def _machine(found: Found, machine: str, number: int) -> str:
    several = found.has_several
    level = "###" if several else "##"
    answers = [each for each in found.first(machine) if each.measured]
    finding = _finding(found, machine, answers)
    keys = [key for key, module in figures.found().items() if module.SCOPE == "machine"]
    parts = [
        f"## Machine {number}\n" if several else "",
        *(_picture(found, machine, key, level, finding) for key in keys[:1]),
        kinds.table(answers),
        details.unfolding("Every network as a table, with ranks", _ranking(answers)) if answers else "",
        _not_shown(found, machine, answers),
        overall.section(found, answers, f"{level} {overall.TITLE}"),
        *(_picture(found, machine, key, level) for key in keys[1:] if _is_drawn(found, machine, key)),
        f"\n{level} Where these numbers come from\n",
        about(found, machine, "Machine and campaign"),
    ]
    return "\n".join(parts)


def _picture(found: Found, machine: str, key: str, level: str, finding: str = "") -> str:
    """Return a figure of a machine between its title with what it shows, and how it is read."""
    module = figures.found()[key]
    shown = figure(found, key, "", machine, "")
    return f"\n{level} {title(module.__doc__)}\n\n{finding}\n{shown}\n{explained(module.__doc__)}\n"


def _is_drawn(found: Found, machine: str, key: str) -> bool:
    return isinstance(found.pictures[key, "", machine], Saved)


def _finding(found: Found, machine: str, answers: list[Estimates]) -> Markup:
    """Say who is the fastest how often, on which machine, and when that was measured."""
    known = dict(facts(found.results.campaigns[machine]))
    where = f"{machine}: {known['processor']}; GPU: {known['GPU']}"
    if not answers:
        return html.paragraph(f"{where}. No competitor has a time in its default mode.")
    return in_full(f"{sentences.finding(answers)} Measured {columns.days(found, answers)} on {where}.")


def _not_shown(found: Found, machine: str, answers: list[Estimates]) -> Markup:
    """Name the workloads without a place here: those measured otherwise, and all others."""
    shown = {each.question.workload for each in answers}
    known = {each.question.workload for each in found.defaults if each.question.machine == machine and each.measured}
    rest = [name for name in registry.workload_names() if name not in shown]
    reasons = {
        "Measured at another batch size or number of threads alone, which no other time stands beside": known,
        "Not measured on this machine": set(rest) - known,
    }
    named = {why: [units.workload_title(name) for name in rest if name in own] for why, own in reasons.items()}
    told = " ".join(f"{why}: {units.listing(titles)}." for why, titles in named.items() if titles)
    return in_full(told, "missing") if told else Markup("")


def _ranking(answers: list[Estimates]) -> Markup:
    """Return the table of ranks: workloads by environment, each in its default mode."""
    competitors = sorted({(cell.title, cell.row) for each in answers for cell in each.cells})
    header = ["workload", "fastest step", *(competitor(title, row) for title, row in competitors)]
    return html.table(CAPTION, header, [_ranks(each, [row for _, row in competitors]) for each in answers], "ranking")


def _ranks(answer: Estimates, competitors: list[Row]) -> list[str]:
    own = {cell.row: cell for cell in answer.cells}
    fastest = next((units.seconds(cell.time.value) for cell in answer.measured if cell.time), units.NONE)
    page = explorer_data.workload_link(answer.question.workload, "")
    return [
        page,
        fastest,
        *(_rank(answer, own.get(row)) for row in competitors),
    ]


def _rank(answer: Estimates, cell: Cell | None) -> str:
    if cell is None:
        return units.NONE
    if cell.time is None:
        return html.element("small", cell.status.replace("_", " "))
    return html.join(
        [html.element("b", sentences.rank(answer, cell)), html.element("small", f"{sentences.ratio(cell)} \u00d7")]
    )
