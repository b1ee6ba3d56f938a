"""An article's part of the site: fragments for its hand-written page, an overview, its claims, and each section."""

from collections.abc import Iterator
from types import ModuleType

from analysis import articles, figures, units
from analysis.articles import Section
from analysis.compare import coverage
from analysis.plugins import explained, title
from analysis.site.pages import (
    NOTHING,
    Found,
    cited,
    code,
    details,
    explorer_data,
    facts,
    figure,
    gaps,
    in_full,
    lessons,
    ours,
    then_and_now,
)
from analysis.text import html
from analysis.text.html import Markup
from analysis.units import workload_title
from bench import registry

ROOT = "../../"  # from articles/<name>/ to the site's top
SINCE = {
    coverage.OTHER_CODE: "{}: measured with other model files of {} than those of now.",
    coverage.OTHER_PROOF: "{}: measured with another adapter of {}, or another statement of the problem, than now.",
}
FEW = 2  # tables of one kind that a section shows without folding them


def fragments(found: Found) -> dict[str, str]:
    """Return the fragments of all articles by name."""
    made = {"index": index(found)}
    for name, article in articles.found().items():
        made[f"{name}/overview"] = overview(found, article)
        made[f"{name}/claims"] = str(lessons.claims(found, name, article.SOURCE))
        if "then" in articles.parts(article):
            made[f"{name}/then"] = then_and_now.of_article(found, article.WORKLOADS)
        made.update((f"{name}/{part}", section(found, name, article, each)) for part, each in article.SECTIONS.items())
    return made


def index(found: Found) -> str:
    """Return the table of all articles, for the page that lists them."""
    rows = [
        (
            html.link(f"{name}/", title(article.__doc__)),
            explained(article.__doc__),
            article.SOURCE,
            _measured(found, article),
        )
        for name, article in articles.found().items()
    ]
    return str(html.table("Articles", ("article", "what it asked", "source", "networks measured here"), rows, "claims"))


def _measured(found: Found, article: ModuleType) -> str:
    known = [name for name in article.WORKLOADS if _machines(found, name)]
    return f"{len(known)} of {len(article.WORKLOADS)}"


def _machines(found: Found, name: str) -> list[str]:
    return gaps.measuring(found, [name]) if name in registry.workload_names() else []


def overview(found: Found, article: ModuleType) -> str:
    """Return which networks an article is about, and where they were measured here."""
    rows = [_network(found, name) for name in article.WORKLOADS]
    header = ("network", "parameters", "batch sizes", "optimisers", "measured here on")
    caption = f"The networks of the article. Source: {article.SOURCE}"
    return "\n".join([html.table(caption, header, rows, "claims networks"), *_campaigns(found, article)])


def _network(found: Found, name: str) -> list[str]:
    if name not in registry.workload_names():
        return [name, html.Wide(html.safe("not among this project's workloads yet"))]
    problem = registry.workload(name)
    where = ", ".join(_machines(found, name)) or "not measured yet"
    sizes = ", ".join(str(size) for size in problem.BATCH_SIZES)
    return [
        explorer_data.workload_link(name, ROOT),
        f"{problem.PARAMETERS:,}",
        sizes,
        ", ".join(problem.OPTIMIZERS) or "none",
        where,
    ]


def _campaigns(found: Found, article: ModuleType) -> list[Markup]:
    """Return what each machine is that measured one of its networks, and how large its last campaign was."""
    measured = {machine for name in article.WORKLOADS for machine in _machines(found, name)}
    about = [dict(facts(found.results.campaigns[machine])) for machine in sorted(measured)]
    names = ("machine", "processor", "GPU", "profile")
    lines = ["; ".join(f"{name}: {each[name]}" for name in names) for each in about]
    return [html.paragraph(line, "source") for line in lines] or [NOTHING]


def section(found: Found, name: str, article: ModuleType, about: Section) -> str:
    """Return one section: what our data say, published numbers beside ours, and figures."""
    made = [
        (machine, table, ours.TABLES[table](found, about, machine))
        for machine in gaps.telling(found, about)
        for table in about.ours
        if table != "parameters"
    ]
    several = found.has_several
    findings = [
        html.paragraph(f"{machine}: {finding}" if several else finding)
        for machine, _, each in made
        for finding in each.findings
    ]
    tables = [cited.table(article.SOURCE, table) for table in about.published]
    tables += [ours.parameters(about)] if "parameters" in about.ours else []
    given = [(kind, _tables(each)) for _, kind, each in made]
    lengthy = {kind for kind, own in given if len(own) > FEW}  # on all machines then: a small one is not the answer
    tables += [table for kind, own in given if kind not in lengthy for table in own]
    many = [table for kind, own in given if kind in lengthy for table in own]
    own = [*_reasons(made), *gaps.missing(found, about), *_figures(found, name, about), _folded(many)]
    return "\n".join([*findings, *(_changed(found, about) if made else ()), _beside(tables), *own])


def _tables(made: ours.Content) -> list[Markup]:
    return [each for each in made.tables if not isinstance(each, gaps.Gap)]


def _reasons(made: list[tuple[str, str, ours.Content]]) -> list[Markup]:
    """Return why there is none of a kind of tables that no machine has, each reason once."""
    there = {kind for _, kind, each in made if _tables(each)}
    return list(dict.fromkeys(reason for _, kind, each in made if kind not in there for reason in each.tables))


def _changed(found: Found, about: Section) -> list[Markup]:
    """Return, below a line that unfolds, which networks were measured with code that has changed since."""
    alike: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name in gaps.networks(about):
        for why, environments in code.since(found, name).items():
            alike.setdefault((why, tuple(environments)), []).append(workload_title(name))
    notes = (SINCE[why].format(units.listing(networks), units.listing(environments))
             for (why, environments), networks in alike.items())  # fmt: skip
    told = html.join(in_full(note, "changed") for note in notes)
    return [details.unfolding("Measured before code was changed", told)] if told else []


def _beside(blocks: list[Markup]) -> Markup:
    """Set tables beside each other where a screen is wide enough."""
    return Markup(f'<div class="beside">\n{"".join(blocks)}</div>\n' if blocks else "")


def _folded(tables: list[Markup]) -> Markup:
    """Fold away more tables than one wants to scroll past."""
    summary = html.element("summary", f"The numbers: {len(tables)} tables")
    return Markup(f'<details class="numbers">{summary}\n{"".join(tables)}</details>\n' if tables else "")


def _figures(found: Found, name: str, about: Section) -> list[str]:
    shown: list[str] = []
    for key in about.figures:
        module = figures.found()[key]
        wanted = [(subject, machine, label) for machine in found.results.machines
                  for subject, label in _subjects(found, module.SCOPE, name, about, machine)]  # fmt: skip
        drawn = {subject for subject, machine, _ in wanted if _is_drawn(found, key, subject, machine)}
        parts = [part for subject, machine, label in wanted
                 if subject not in drawn or _is_drawn(found, key, subject, machine)
                 for part in (html.paragraph(label, "source"), figure(found, key, subject, machine, ROOT))]  # fmt: skip
        shown += [f"**{title(module.__doc__)}.** {explained(module.__doc__)}\n", *parts] if parts else []
    return shown


def _is_drawn(found: Found, key: str, subject: str, machine: str) -> bool:
    """Say whether there is a figure; why there is none is told only where no machine has it."""
    return not isinstance(found.pictures[key, subject, machine], str)


def _subjects(found: Found, scope: str, name: str, about: Section, machine: str) -> Iterator[tuple[str, str]]:
    """Yield what a figure is of, the article or each of the section's networks, with what stands above it."""
    if scope == "article":
        yield name, machine
        return
    for workload in about.workloads:
        if workload in registry.workload_names() and found.of(machine, workload):
            yield workload, f"{workload_title(workload)}, {machine}"
