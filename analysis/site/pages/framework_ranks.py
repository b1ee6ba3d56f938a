"""Where a framework's environments lead and lag: by rank and by ratio, as on the home page and the workloads' pages."""

from collections.abc import Sequence

from analysis import units
from analysis.compare import unpaired
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.site import links
from analysis.site.pages import UNSEARCHED, Found, competitor, explorer_data, installed, overall, ratio, with_bounds
from analysis.text import html, sentences
from analysis.text.html import Markup, Wide
from analysis.units import workload_title as title_of
from bench import registry
from bench.registry import Environment

ROOT = "../../../"  # from generated/frameworks/<name>/ to the site's top
TIED, ALONE, BEHIND, UNRANKED = "tied for the fastest", "the fastest", "behind", "not ranked"
INDEX = ("environment", "version", "workloads with a time", "among the fastest", "alone", "behind at most")


def index(found: Found, machine: str, number: int) -> str:
    """Return a table of every environment on one machine; `number` is the machine's."""
    known = registry.environments()
    today, all_years = found.first(machine), found.first(machine, with_old=True)
    rows = [_listed(found, machine, today if _timed(today, name) else all_years, environment)
            for name, environment in known.items()]  # fmt: skip
    heading = f"## Machine {number}{UNSEARCHED}\n\n" if found.has_several else ""
    caption = (
        f"Environments on {machine}, each in its default mode at each workload's first question. Among the fastest: "
        "rank 1, ties included; behind at most: the largest ratio to the fastest where one is claimed. Old versions "
        "stand beside all others, today's among themselves."
    )
    return f"{heading}{html.table(caption, INDEX, rows, 'facts')}"


def _listed(found: Found, machine: str, answers: Sequence[Estimates], environment: Environment) -> list[str]:
    link = html.link(f"{environment.framework}/", environment.title)
    own = _timed(answers, environment.name)
    campaign = installed(found, machine).get(environment.name)
    version = unpaired.versions(campaign.environments[environment.name]["loaded"]) if campaign else units.NONE
    if not own:
        return [link, version, Wide("no time on this machine")]
    places = [place(answer, cell) for answer, cell in own]
    alone, most = places.count(ALONE), _farthest(own)
    behind = ratio(most[1]) if most else units.NONE
    return [link, version, str(len(own)), str(places.count(TIED) + alone), str(alone), behind]


def _cells(answers: Sequence[Estimates], names: Sequence[str]) -> list[tuple[Estimates, Cell]]:
    return [(answer, cell) for answer in answers for cell in answer.cells if cell.row[0] in names]


def _timed(answers: Sequence[Estimates], name: str) -> list[tuple[Estimates, Cell]]:
    return [(answer, cell) for answer, cell in _cells(answers, [name]) if cell.time]


def _own(found: Found, name: str, machine: str) -> list[str]:
    """Return the environments that a machine's results record as this framework's, in alphabetical order."""
    known = explorer_data.frameworks(found.results)
    return sorted(environment for (where, environment), own in known.items() if (where, own) == (machine, name))


def place(answer: Estimates, cell: Cell) -> str:
    """Return where a competitor with a time stands in its question, by its rank alone."""
    if cell.rank is None or not sentences.can_rank(answer):
        return UNRANKED
    if cell.rank != 1:
        return BEHIND
    return TIED if answer.is_tied(cell) else ALONE


def _farthest(own: Sequence[tuple[Estimates, Cell]]) -> tuple[Estimates, Cell] | None:
    """Return where a competitor is farthest behind the fastest, of the questions where it is claimed to be behind."""
    ratios = [(cell.to_fastest.ratio.value, number) for number, (answer, cell) in enumerate(own)
              if cell.to_fastest and place(answer, cell) == BEHIND]  # fmt: skip
    return own[max(ratios)[1]] if ratios else None


def section(found: Found, name: str, machine: str, number: int) -> str:
    """Return how the framework's environments do on one machine, workload by workload."""
    environments = _own(found, name, machine)
    both = found.first(machine), found.first(machine, with_old=True)
    known = max(both, key=lambda own: len({cell.row for _, cell in _cells(own, environments)}))  # today's, if of all
    answers = [each for each in known if _cells([each], environments)]
    several = found.has_several
    heading = f"### On machine {number}{UNSEARCHED}\n\n" if several else ""
    if not any(cell.time for _, cell in _cells(answers, environments)):
        return f"{heading}{html.paragraph('None of its environments has a time on this machine.', 'missing')}"
    columns = sorted({(cell.title, cell.row) for _, cell in _cells(answers, environments)})
    caption = (
        f"Rank, and time as a multiple of the fastest's, on {machine}: default modes, each workload's first question. "
        "Small print: 99 % interval. Equal ranks (=) are ties."
    )
    header = ["workload", "fastest", *(competitor(title, row) for title, row in columns)]
    rows = [_row(answer, [row for _, row in columns]) for answer in answers]
    address = links.results(ROOT, framework=name, machine=machine).replace("&", "&amp;")
    link = html.link(address, "Every mode, batch size and optimizer")
    parts = [
        heading,
        *(html.paragraph(_finding(answers, cell.row[0], cell.title)) for cell in _one_of_each(answers, environments)),
        html.table(caption, header, rows, "ranking standing"),
        html.paragraph(html.join([link, " is in the Results table."]), "source"),
        _among(found, answers, environments, several),
    ]
    return "\n".join(parts)


def _one_of_each(answers: Sequence[Estimates], environments: Sequence[str]) -> list[Cell]:
    """Return a cell of each environment that has a time, by its title."""
    found = {cell.row[0]: cell for _, cell in _cells(answers, environments) if cell.time}
    return sorted(found.values(), key=lambda cell: cell.title)


def _finding(answers: Sequence[Estimates], environment: str, called: str) -> str:
    """Return in how many workloads an environment leads, and where it lags most, in words that the ranks allow."""
    own = _timed(answers, environment)
    places = [place(*each) for each in own]
    ranked = len(own) - places.count(UNRANKED)
    if not ranked:
        return f"{called}: too few rounds for a rank in any of {units.count(len(own), 'workload')}."
    alone, most = places.count(ALONE), _farthest(own)
    leads = f"{alone + places.count(TIED)} of {units.count(ranked, 'ranked workload')}"
    told = f"{called} is among the fastest in {leads}{f', in {alone} of them alone' if alone else ''}."
    if not most:
        return told
    answer, cell = most
    lag = f"{sentences.ratio(cell)} times the fastest ({sentences.ratio_between(cell)})"
    return f"{told} It lags most in {title_of(answer.question.workload)}: {lag}."


def _row(answer: Estimates, columns: Sequence[tuple[str, str]]) -> list[str]:
    own = {cell.row: cell for cell in answer.cells}
    link = explorer_data.workload_link(answer.question.workload, ROOT)
    return [link, _fastest(answer), *(_cell(answer, own.get(row)) for row in columns)]


def _fastest(answer: Estimates) -> str:
    """Return who is the fastest of all frameworks, or among how many that is not decided."""
    best = [cell for cell in answer.measured if cell.rank == 1]
    if not sentences.can_rank(answer):
        return "too few rounds"
    return competitor(best[0].title, best[0].row) if len(best) == 1 else f"tie of {len(best)}"


def _cell(answer: Estimates, cell: Cell | None) -> Markup:
    if cell is None:
        return html.safe(units.NONE)
    if cell.time is None:
        return html.element("span", html.safe(cell.reason or cell.status, 160), kind="gap")
    rank = html.element("b", sentences.rank(answer, cell))
    ratio = f"{sentences.ratio(cell)} \u00d7"
    return html.join([rank, " ", with_bounds(ratio, sentences.ratio_between(cell)) if cell.to_fastest else ratio])


def _among(found: Found, answers: Sequence[Estimates], environments: Sequence[str], several: bool) -> str:
    """Return the framework's environments beside each other, over workloads, where it has several."""
    heading = f"{'####' if several else '###'} Its environments beside each other"
    own = [
        each._replace(
            cells=[cell for cell in each.cells if cell.row[0] in environments],
            pairs=[pair for pair in each.pairs if pair.a[0] in environments and pair.b[0] in environments],
        )
        for each in answers
    ]
    return overall.section(found, own, heading, ROOT)
