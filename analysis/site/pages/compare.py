"""The page that compares two sets of results: machines, campaigns of one machine, or versions.

docs/assets/table.js shows the file of `data`, which lists each comparison in both directions. Without scripts, a
plain table counts how each two machines came out.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from analysis import units
from analysis.compare import unpaired
from analysis.compare.baseline import CaseTimes
from analysis.compare.unpaired import CAMPAIGNS, MACHINES, VERSIONS, Set, SetComparison, Unpaired
from analysis.data import columnar
from analysis.data.columnar import Facet, Number, Text
from analysis.data.schema import json_text
from analysis.found import Found
from analysis.site import links
from analysis.site.pages import NOTHING, factors, in_full
from analysis.site.template import render
from analysis.text import html, sentences
from analysis.text.html import Markup
from analysis.units import workload_title
from bench import registry
from bench.cases import Case

DATA, EVERY = "compare.json", "comparisons.csv"
ROOT = "../"
MOST = 6  # rows of the plain table, which is read only without scripts: no more fits the page's words
TITLES = {MACHINES: "two machines", VERSIONS: "two versions", CAMPAIGNS: "two campaigns of one machine"}
VERDICTS = ("longer", "shorter", "alike", "not significant", "too few rounds", "no ratio")
HEADER = ("first set", "second set", "tasks in both", "ratios", *VERDICTS)
WITHIN = "within rounds of one campaign"


class Side(NamedTuple):
    """A row in one direction: its ratio is the time in the set `other` over that in the set `base`."""

    kind: str
    base: Set
    other: Set
    cells: tuple[CaseTimes, CaseTimes]  # in `base` and in `other`
    row: Unpaired

    @property
    def case(self) -> Case:
        """The case, as the second set of the comparison has it."""
        return self.row.second.case


def page(found: Found) -> str:
    """Return the fragment of the page."""
    if not found.results.machines:
        return str(NOTHING)
    if not found.compared.comparisons:
        return str(html.paragraph("No two sets of results share a task: there is nothing to compare.", "missing"))
    titles = titled(found)
    comparisons = [comparison for kind in TITLES for comparison in found.compared.of(kind)]
    table = render(
        "results.html",
        caption=f"Without scripts: {len(comparisons[:MOST]):,} of {units.count(len(comparisons), 'comparison')} "
        "of two sets",
        file=links.data(ROOT, DATA),
        every=links.data(ROOT, EVERY),
        header=HEADER,
        rows=[_counted(titles, comparison) for comparison in comparisons[:MOST]],
        kind="compare",
    )
    moved, *others = _notes(found)
    return "\n".join([moved, table, *others])


def data(found: Found) -> dict[str, str]:
    """Return the file that the page's script reads, by its name."""
    facets = _facets(titled(found))
    columns = columnar.columns(list(sides(found)), facets, NUMBERS, TEXTS, ("ratio",), _start(found))
    return {f"data/{DATA}": json_text(columns)}


def sides(found: Found) -> Iterator[Side]:
    """Yield each row of each comparison, then the same in the other direction."""
    rows = [(comparison, row) for comparison in found.compared.comparisons for row in comparison.rows]
    for (kind, first, second, _), row in rows:
        yield Side(kind, first, second, (row.first, row.second), row)
    for (kind, first, second, _), row in rows:
        yield Side(kind, second, first, (row.second, row.first), row._replace(ratio=row.ratio and row.ratio.inverse()))


def titled(found: Found) -> dict[str, str]:
    """Return the title of each set by its name, with machines by their short names."""
    sets = [compared for of_kind in found.compared.sets.values() for compared in of_kind]
    return {compared.name: compared.title.replace(compared.machine, found.names[compared.machine]) for compared in sets}


def _start(found: Found) -> dict[str, str]:
    """Return the sets to show at first: the two with most campaigns, and of these with most ratios.

    A machine with one quick campaign is shown only if no two others share a task.
    """

    def weight(comparison: SetComparison) -> tuple[int, int]:
        bounded = sum(row.ratio is not None and row.ratio.low is not None for row in comparison.rows)
        return min(
            len(found.campaigns(compared.machine)) for compared in (comparison.first, comparison.second)
        ), bounded

    best = max(found.compared.of(MACHINES) or found.compared.comparisons, key=weight, default=None)
    return {"base": html.visible(best.first.name, 80), "with": html.visible(best.second.name, 80)} if best else {}


def _notes(found: Found) -> Iterator[Markup]:
    """Yield how much times differ with nothing changed, which machines share no task, and what was left out."""
    compared, ratios = found.compared, unpaired.moved(found.compared.comparisons)
    if ratios:
        yield html.paragraph(
            f"With nothing known to differ, a later campaign on the same machine took {factors(ratios)} times as long "
            f"as before ({units.count(len(ratios), 'comparison')}). A difference within that range may be chance of "
            "the day."
        )
    else:
        yield html.paragraph("No machine was measured twice with nothing else changed, so how far one day differs "
                             "from another is not known here.")  # fmt: skip
    shared = {side.name for comparison in compared.of(MACHINES) for side in (comparison.first, comparison.second)}
    alone = [found.names[machine.name] for machine in compared.sets.get(MACHINES, ()) if machine.name not in shared]
    text = f"Without a comparison, because no task was measured there and on another machine: {units.listing(alone)}."
    yield in_full(text, "missing") if alone else Markup("")
    pairs = [f"{count:,} pairs of {TITLES[kind]}" for kind, count in compared.left_out.items() if count]
    parts = [f"Left out to keep the page small, the older first: {units.listing(pairs)}."] if pairs else []
    if compared.older:
        parts.append(f"Of each machine the newest {unpaired.MOST_CAMPAIGNS} campaigns are compared: "
                     f"{units.count(compared.older, 'older one')} stayed out.")  # fmt: skip
    yield html.paragraph(" ".join(parts), "source") if parts else Markup("")


def _counted(titles: Mapping[str, str], comparison: SetComparison) -> list[str]:
    counts = Counter(map(verdict, comparison.rows))
    ratios = [row.ratio.value for row in comparison.rows if row.ratio]
    span = factors(ratios) if ratios else units.NONE
    named = [titles[side.name] for side in (comparison.first, comparison.second)]
    return [*named, str(len(comparison.rows)), span, *(str(counts[name]) for name in VERDICTS)]


def verdict(row: Unpaired) -> str:
    """Return the verdict on the ratio, one of VERDICTS."""
    return sentences.beside(row.ratio, row.claim) if row.ratio else "no ratio"


def note(side: Side) -> str | None:
    """Return the differences between the two sets, or why there is no ratio."""
    paired = [WITHIN] if side.row.is_paired and side.row.ratio else []
    return "; ".join([*paired, *side.row.differs]) or None


def _framework(side: Side) -> str:
    environment = registry.environments().get(side.case.environment)
    return environment.framework if environment else side.case.environment


def _environment(side: Side) -> tuple[str, str]:
    titles = dict.fromkeys([side.row.first.title] * (side.kind == VERSIONS) + [side.row.second.title])
    return side.case.environment, " and ".join(titles)


def _facets(titles: dict[str, str]) -> Sequence[Facet]:
    sets = [(html.visible(name, 80), html.visible(title, 80)) for name, title in titles.items()]
    return (
        Facet("kind", "what to compare", lambda side: (side.kind, TITLES[side.kind]), is_first=True),
        Facet("base", "first set", lambda side: (side.base.name, titles[side.base.name]), is_first=True,
              is_single=True, others=sets),
        Facet("with", "second set", lambda side: (side.other.name, titles[side.other.name]), is_first=True,
              is_single=True, others=sets),
        Facet("workload", "workload", lambda side: (side.case.workload, workload_title(side.case.workload)),
              is_first=True, is_lead=True),
        Facet("framework", "framework", _framework, is_first=True, is_column=False),
        Facet("environment", "version", _environment, is_column=False),
        Facet("mode", "mode", "case.mode", is_column=False),
        Facet("task", "task", "case.task"),
        Facet("batch", "batch size", "case.batch_size", "batch {}"),
        Facet("optimizer", "optimizer", "case.optimizer"),
        Facet("data", "data", "case.data", "{} data"),
        Facet("precision", "precision", "case.precision"),
        Facet("device", "device", "case.device"),
        Facet("tier", "tier", "case.tier"),
        Facet("result", "result", lambda side: verdict(side.row), is_column=False),
    )  # fmt: skip


NUMBERS = (
    Number("ratio", "second over first", "x", "row.ratio", True),
    Number("time_first", "time in the first", "s", "cells.0.mean_s", True),
    Number("time_second", "time in the second", "s", "cells.1.mean_s", True),
)

TEXTS: tuple[Text, ...] = (
    Text("verdict", "the second is", lambda side: verdict(side.row)),
    Text("note", "what else differs", note, "", True),
    Text("rounds", "rounds", lambda side: " and ".join(str(len(cell.step_s)) for cell in side.cells)),
)
