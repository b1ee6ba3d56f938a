"""Which framework for what, on each machine: whether who may be the fastest on one may be so on the others."""

from collections import Counter
from collections.abc import Mapping, Sequence

from analysis import units
from analysis.estimate.estimates import Estimates, Question
from analysis.site.pages import Found, explorer_data, in_full, kinds, machines, with_bounds
from analysis.text import html, sentences

TITLE = "Which framework for what, on each machine"
CAPTION = (
    "Who may be the fastest on each machine, in default modes, with the shortest mean time of a step below. Only "
    "answers to one question by the same competitors stand in a row."
)
Ranked = Mapping[str, Estimates]  # by machine


def section(found: Found) -> str:
    """Return a heading, what agrees, and a table of it; nothing where no two machines ranked the same competitors."""
    shared = _shared(found)
    if not shared:
        return ""
    numbers = {machine: number for number, machine in enumerate(found.results.machines, 1)}
    shown = [machine for machine in numbers if any(machine in own for _, own in shared)]
    header = ["workload", *(_machine(machine, numbers[machine]) for machine in shown), "on each"]
    order = [*kinds.KINDS, None]
    shared.sort(key=lambda each: order.index(kinds.kind(each[0].workload)))
    rows = [_row(question, own, shown) for question, own in shared]
    told = in_full(_finding([own for _, own in shared]))
    return f"\n## {TITLE}\n\n{told}\n{html.table(CAPTION, header, rows, 'claims')}\n"


def _shared(found: Found) -> list[tuple[Question, Ranked]]:
    """Return the questions that several machines ranked, with the answers of those that had the same competitors."""
    known: dict[tuple[Question, frozenset[object]], dict[str, Estimates]] = {}
    for machine in found.results.machines:
        for each in filter(sentences.can_rank, found.first(machine)):
            competitors = frozenset(cell.row for cell in each.measured)
            known.setdefault((each.question._replace(machine=""), competitors), {})[machine] = each
    return [(question, own) for (question, _), own in known.items() if len(own) > 1]


def _on_each(own: Ranked) -> list[str]:
    """Return the titles of those that may be the fastest on each machine."""
    titles = [[cell.title for cell in each.leading] for each in own.values()]
    return [title for title in titles[0] if all(title in others for others in titles)]


def _finding(shared: Sequence[Ranked]) -> str:
    agreed = [titles for own in shared if (titles := _on_each(own))]
    often = Counter(title for titles in agreed for title in titles).most_common()
    named = units.listing(f"{title} in {number}" for title, number in often)
    ranked = f"Of {units.count(len(shared), 'network')} that several machines ranked"
    if not agreed:
        return f"{ranked}, none has a competitor that may be the fastest on each."
    apart, have = len(shared) - len(agreed), "has" if len(agreed) == 1 else "have"
    depends = f"; in {apart} it depends on the machine" if apart else ""
    return f"{ranked}, {len(agreed)} {have} one that may be the fastest on each: {named}{depends}."


def _machine(machine: str, number: int) -> html.Markup:
    return html.join([machines.link(machine, number, ""), html.element("small", html.safe(machine, 80))])


def _row(question: Question, own: Ranked, shown: Sequence[str]) -> list[html.Cell]:
    cells = [_fastest(own[machine]) if machine in own else units.NONE for machine in shown]
    network = explorer_data.workload_link(question.workload, "")
    on_each = units.listing(_on_each(own), "or") or "it depends on the machine"
    return [with_bounds(network, kinds.kind(question.workload) or ""), *cells, on_each]


def _fastest(answer: Estimates) -> html.Markup:
    times = [cell.time.value for cell in answer.measured if cell.time]
    return with_bounds(units.listing((cell.title for cell in answer.leading), "or"), units.seconds(min(times)))
