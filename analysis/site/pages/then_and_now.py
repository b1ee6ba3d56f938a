"""Versions of years ago beside today's, on one machine in the same rounds, and what was published of the old ones."""

from collections.abc import Sequence

from analysis import literature, units
from analysis.compare import orders
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates
from analysis.estimate.lineage import Version
from analysis.figures import then_and_now
from analysis.site.pages import Found, cited, columns, competitor, details, figure, in_full, ratio, with_bounds
from analysis.site.pages.explorer_data import workload_link
from analysis.text import html, sentences
from analysis.text.html import Markup
from bench import registry

NAME = "then_and_now"  # of the figure
ROOT = "../"
NONE = (
    "No version of years ago has been measured. nox -s bench 'era(keras-2.1)' measures one beside "
    "today's, in the same rounds."
)


def page(found: Found) -> str:
    """Return a section for each machine, that with most versions first: the figure, and a table for each workload."""
    parts = [part for machine, own in _known(found).items() for part in _machine(found, machine, list(own.values()))]
    return "\n".join(parts or [html.paragraph(NONE, "missing")])


def of_article(found: Found, workloads: Sequence[str]) -> str:
    """Return what an article's page says of the software of its time, on the machine that measured most of it."""
    machine, known = next(iter(_known(found).items()), ("", {}))
    own = [known[name] for name in workloads if name in known]
    if not own:
        return str(html.paragraph(NONE, "missing"))
    parts = [in_full(f"{machine}: {found.results.campaigns[machine].bench['machine']['cpu']}.", "source")]
    for answer in own:
        told = " ".join(then_and_now.told(answer))
        title = html.element("strong", units.workload_title(answer.question.workload))
        parts += [html.paragraph(html.join([title, ": ", html.safe(told, len(told))]), "again"), *_orders(answer)]
    return "\n".join(parts)


def _known(found: Found) -> dict[str, dict[str, Estimates]]:
    """Return, by machine, that with most versions first, each workload's question with a history."""
    known = {
        machine: lineage.with_history([each for each in found.answers if each.question.machine == machine])
        for machine in found.results.machines
    }
    return dict(sorted(known.items(), key=lambda item: -sum(len(lineage.versions(each)) for each in item[1].values())))


def _orders(answer: Estimates) -> list[Markup]:
    """Return what became of each order that an article's tables have its frameworks in."""
    return [in_full(each.told, "source") for each in orders.of(answer)]


def _machine(found: Found, machine: str, answers: Sequence[Estimates]) -> list[str]:
    if not answers:
        return []
    campaign = found.results.campaigns[machine]
    heading = f"## On {campaign.bench['machine']['cpu']}" if found.has_several else "## On one machine"
    about = in_full(f"{columns.where(found, answers)}.", "source")
    drawn = figure(found, NAME, "", machine, ROOT)
    return [f"{heading}\n", about, drawn, *(_section(each) for each in answers)]


def _section(answer: Estimates) -> str:
    about = answer.question
    told = in_full(" ".join(then_and_now.told(answer)))
    link = workload_link(about.workload)
    made = [told, *_orders(answer), _table(answer), _published(about.workload)]
    parts = [f"### {units.workload_title(about.workload)}\n", *made]
    return "\n".join([*parts, html.paragraph(html.join(["All that was measured of it: ", link, "."]), "source")])


def _table(answer: Estimates) -> Markup:
    known = lineage.versions(answer)
    unit = columns.unit_of([answer])
    built_for = {name: row.built_for for name, row in registry.environments().items()}
    rows = [_row(answer, each, unit, built_for.get(each.cell.row[0], "")) for each in known]
    header = ("environment and mode", "released", f"time per step ({unit.name})", "times the fastest", "rank")
    about = f"{sentences.question(answer.question)}, in the order of release"
    caption = f"{about}. Small print: 99 % interval; for which instructions of a processor it was built, and who told."
    return html.table(caption, header, rows, "answers")


def _row(answer: Estimates, version: Version, unit: units.Unit, built_for: str) -> list[str]:
    cell = version.cell
    name = html.join([competitor(cell.title, cell.row), *([html.element("small", built_for)] if built_for else [])])
    took = with_bounds(unit(version.time.value), units.between(version.time, unit))
    return [name, version.released, took, ratio(cell), sentences.rank(answer, cell)]


def _published(workload: str) -> Markup:
    """Return what articles measured of a workload then, on machines of their own."""
    known = dict.fromkeys((each.source, each.table) for each in literature.figures() if each.workload == workload)
    tables = [cited.table(*each) for each in known]
    title = "What was published then, measured on other machines"
    return details.unfolding(title, html.join(tables)) if tables else Markup("")
