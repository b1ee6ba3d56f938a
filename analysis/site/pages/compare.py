"""The page that compares sets of results: what there is, each two of a kind in a table, and the file of its script.

docs/assets/compare.js lets a reader choose two or more sets. The file holds, once for each ratio, what this page's
tables hold, so that no statistics is left to a browser:

- `facets`: what tells cases apart, as in the explorer's file (analysis/site/pages/explorer_data.py).
- `kinds`: what sort of sets there are; `sets` of each, the newest first, with `name` (as in links), `title`, and its
  `cases` that another set shares: the place of each in the facets, its time in seconds and its rounds.
- `pairs`: kind, first set, second set, and how many rows it has; the rows of a pair stand together.
- of each row: its place in the `cases`, the ratio of the second's time to the first's, how far it may be `off`, the
  claim, and what else differs between the two, or why there is no ratio.
"""

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis import units
from analysis.compare import unpaired
from analysis.compare.baseline import CaseTimes
from analysis.compare.unpaired import CAMPAIGNS, KINDS, MACHINES, VERSIONS, Compared, Set, SetComparison, Unpaired
from analysis.site.pages import NOTHING, Found, competitor, explorer_data, with_bounds
from analysis.site.pages.explorer_data import Facet
from analysis.text import html, sentences
from analysis.text.html import Markup, Wide
from bench.cases import Case

DATA = "compare/pairs.json"  # below docs/generated
MOST = 60  # rows of a table in the page; the script shows all
TITLES = {MACHINES: "machine with machine", CAMPAIGNS: "campaign with campaign", VERSIONS: "version with version"}
ALONE = {
    MACHINES: "No two machines share a case: nothing can be said of how they differ.",
    CAMPAIGNS: "No two campaigns of one machine share a case: nothing can be said of what time changed.",
    VERSIONS: "No two versions on one machine share a question: nothing can be said of how they differ.",
}
VERDICTS = ("longer", "shorter", "alike", "not told apart", "too few rounds", "no ratio")
HEADER = ("workload", "question", "version and mode", "first", "second", "ratio", "the second is", "rounds",
          "what else differs")  # fmt: skip
WITHIN = "within rounds of one campaign"


def page(found: Found) -> str:
    """Return the fragment of the page."""
    compared = found.compared
    if not found.results.machines:
        return str(NOTHING)
    listed = "\n".join(_sets(compared, kind) for kind in KINDS if compared.sets.get(kind))
    return f"{_moved(compared)}\n{_chooser(compared)}\n## What there is to compare\n\n{_limits(compared)}{listed}"


def _moved(compared: Compared) -> Markup:
    """Say how much a machine's own times moved from campaign to campaign: what any other difference is beside."""
    ratios = unpaired.moved(compared.comparisons)
    if not ratios:
        return html.paragraph(
            "Nothing was measured by two campaigns of one machine with nothing else known to differ: how much one day "
            "changes against another is not known here."
        )
    return html.paragraph(
        f"Measured again on its machine by a later campaign, with nothing else known to differ, a case took "
        f"{units.factor(min(ratios))} to {units.factor(max(ratios))} times as long as before "
        f"({units.count(len(ratios), 'comparison')}). A difference within that range may be the day's."
    )


def _chooser(compared: Compared) -> Markup:
    """Return what the script turns into controls, with plain tables for a page without scripts."""
    known = [kind for kind in KINDS if compared.of(kind)]
    gaps = html.join(html.paragraph(ALONE[kind], "missing") for kind in KINDS if kind not in known)
    if not known:
        return gaps
    path = f"../generated/{DATA}"
    tables = html.join(part for kind in known for part in (_pairs(compared, kind), table(compared.of(kind)[0])))
    source = html.join(["The data behind this page: ", html.link(path, "pairs.json"), "."])
    return Markup(
        f'{gaps}<div id="compare" class="explorer compare" data-file="{path}">\n<div class="static">\n{tables}</div>\n'
        f"</div>\n{html.paragraph(source, 'source')}"
    )


def _pairs(compared: Compared, kind: str) -> Markup:
    """Return a table of each two sets of a kind, with how their ratios came out."""
    header = ("first", "second", "in both", "ratios", *VERDICTS)
    caption = (
        f"{TITLES[kind].capitalize()}: how often the second takes longer than the first. The newest two stand below."
    )
    return html.table(caption, header, [_counted(each) for each in compared.of(kind)], "answers pairs")


def _counted(comparison: SetComparison) -> list[str]:
    counts = Counter(map(verdict, comparison.rows))
    ratios = [row.ratio.value for row in comparison.rows if row.ratio]
    bounds = f"{units.factor(min(ratios))} to {units.factor(max(ratios))}" if ratios else units.NONE
    return [
        html.safe(comparison.first.title, 160),
        html.safe(comparison.second.title, 160),
        str(len(comparison.rows)),
        bounds,
        *(str(counts[each]) for each in VERDICTS),
    ]


def verdict(row: Unpaired) -> str:
    """Return what may be said of a row, one of VERDICTS."""
    return sentences.beside(row.ratio, row.claim) if row.ratio else "no ratio"


def finding(comparison: SetComparison) -> str:
    """Return how a comparison came out, in a sentence."""
    counts = Counter(map(verdict, comparison.rows))
    told = units.listing(f"{counts[each]} {each}" for each in VERDICTS if counts[each])
    cases = units.count(len(comparison.rows), "case")
    return f"{comparison.second.title}, beside {comparison.first.title}: of {cases} in both, {told}."


def told(comparison: SetComparison, root: str) -> list[Markup]:
    """Return a comparison as another page tells of it: how it came out, and its rows."""
    return [html.paragraph(finding(comparison)), table(comparison, root)]


def table(comparison: SetComparison, root: str = "../") -> Markup:
    """Return a comparison's rows, as many as a page holds; `root` leads to the site's top."""
    shown = comparison.rows[:MOST]
    more = len(comparison.rows) - len(shown)
    rest = f" {more:,} more rows are on the page that compares." if more else ""
    caption = (
        f"Ratio: the time in the second, {comparison.second.title}, as a multiple of that in the first, "
        f"{comparison.first.title}. Small print: 99 % interval.{rest}"
    )
    rows = [_row(comparison.kind, row, root) for row in shown]
    return html.table(html.safe(caption, 500), HEADER, rows, "answers beside")


def _row(kind: str, row: Unpaired, root: str) -> list[str]:
    case = row.second.case
    asked = sentences.short(unpaired.question_of(row.second))
    named = [explorer_data.workload_link(case.workload, root), asked, _named(kind, row)]
    if row.ratio is None:
        return [*named, Wide(html.safe("; ".join(row.differs)))]
    unit = units.common([row.first.mean_s, row.second.mean_s], units.SECONDS)
    return [
        *named,
        *(units.with_unit(cell.mean_s, unit) for cell in (row.first, row.second)),
        with_bounds(units.factor(row.ratio.value), units.between(row.ratio, units.RATIO)),
        verdict(row),
        f"{len(row.first.step_s)} and {len(row.second.step_s)}",
        _note(row) or units.NONE,
    ]


def _named(kind: str, row: Unpaired) -> Markup:
    if kind == VERSIONS:
        return html.safe(" and ".join(dict.fromkeys([row.first.case.mode, row.second.case.mode])))
    cell = row.second
    return competitor(cell.title, (cell.case.environment, cell.case.mode))


def _note(row: Unpaired) -> str:
    return "; ".join([*([WITHIN] if row.is_paired and row.ratio else []), *row.differs])


def _limits(compared: Compared) -> Markup:
    """Say what there was no room for."""
    told = [f"{count:,} pairs, {TITLES[kind]}" for kind, count in compared.left_out.items() if count]
    parts = [f"Left out for want of room, the older first: {units.listing(told)}."] if told else []
    if compared.older:
        parts.append(
            f"Of each machine the newest {unpaired.MOST_CAMPAIGNS} campaigns are compared: "
            f"{units.count(compared.older, 'older one')} stayed out."
        )
    return html.paragraph(" ".join(parts), "source") if parts else Markup("")


def _sets(compared: Compared, kind: str) -> Markup:
    """Return a table of a kind's sets."""
    rows = [
        (html.safe(each.title, 160), *_measured(list(each.cells.values())), units.listing(each.days))
        for each in compared.sets[kind]
    ]
    header = (kind, "cases with a time", "rounds", "workloads", "measured")
    return html.table(f"Sets to compare, {TITLES[kind]}", header, rows, "facts")


def _measured(own: Sequence[CaseTimes]) -> tuple[str, str, str]:
    known = [cell for cell in own if cell.step_s]
    rounds = [len(cell.step_s) for cell in known]
    span = f"{min(rounds)} to {max(rounds)}" if rounds else units.NONE
    return f"{len(known)} of {len(own)}", span, str(len({cell.case.workload for cell in known}))


class Shown(NamedTuple):
    """What tells a row's case apart from others of its kind; versions are told by their sets."""

    case: Case
    title: str  # of its environment


def _shown(kind: str, row: Unpaired) -> Shown:
    case = row.second.case
    if kind == VERSIONS:
        return Shown(case._replace(environment="", mode="", layout=""), "")
    return Shown(case, row.second.title)


def _field(key: str, title: str, name: str, is_column: bool = True) -> Facet:
    return Facet(key, title, lambda shown: (getattr(shown.case, name), str(getattr(shown.case, name))), is_column)


FACETS = (
    Facet("workload", "workload", lambda shown: explorer_data.workload(shown.case), page=explorer_data.page),
    Facet("environment", "version", lambda shown: (shown.case.environment, shown.title)),
    _field("mode", "mode", "mode"),
    _field("task", "task", "task"),
    _field("batch", "batch size", "batch_size"),
    _field("optimizer", "optimizer", "optimizer"),
    _field("data", "data", "data"),
    _field("precision", "precision", "precision"),
    _field("device", "device", "device"),
    _field("layout", "layout", "layout", is_column=False),  # its environment's
    _field("tier", "tier", "tier"),
)


def data(found: Found) -> dict[str, str]:
    """Return the file that the page's script reads, by its name; the same results give the same bytes."""
    comparisons = found.compared.comparisons
    shown = [[_shown(each.kind, row) for row in each.rows] for each in comparisons]
    known = {each: place for place, each in enumerate(dict.fromkeys(itertools.chain(*shown)))}
    cases = [[known[each] for each in own] for own in shown]
    own = _own(comparisons, cases)
    file = {
        "kinds": [_kind(found.compared, kind, own) for kind in KINDS],
        "facets": [explorer_data.column(facet, list(known)) for facet in FACETS],
        "pairs": [_pair(found.compared, each) for each in comparisons],
        "cases": list(itertools.chain(*cases)),
        **_numbers([row for each in comparisons for row in each.rows]),
    }
    return {DATA: explorer_data.text(file)}


Own = Mapping[tuple[str, str], Mapping[int, CaseTimes]]  # kind and set -> case -> cell


def _own(comparisons: Sequence[SetComparison], cases: Sequence[Sequence[int]]) -> Own:
    """Return the cells that are compared, of each set those in any of its pairs: a pair would repeat another's."""
    found: dict[tuple[str, str], dict[int, CaseTimes]] = {}
    for comparison, places in zip(comparisons, cases, strict=True):
        first, second = [row.first for row in comparison.rows], [row.second for row in comparison.rows]
        for each, known in ((comparison.first, first), (comparison.second, second)):
            found.setdefault((comparison.kind, each.name), {}).update(zip(places, known, strict=True))
    return found


def _kind(compared: Compared, kind: str, own: Own) -> dict[str, Any]:
    listed = [_set(each, own.get((kind, each.name), {})) for each in compared.sets.get(kind, ())]
    return {"key": kind, "title": TITLES[kind], "sets": listed}


def _set(named: Set, own: Mapping[int, CaseTimes]) -> dict[str, Any]:
    return {
        "name": html.visible(named.name),
        "title": html.visible(named.title),
        "cases": list(own),
        "times": [explorer_data.number(cell.mean_s) for cell in own.values()],
        "rounds": [len(cell.step_s) for cell in own.values()],
    }


def _pair(compared: Compared, comparison: SetComparison) -> list[int]:
    names = [each.name for each in compared.sets[comparison.kind]]
    places = [names.index(each.name) for each in (comparison.first, comparison.second)]
    return [KINDS.index(comparison.kind), *places, len(comparison.rows)]


def _numbers(rows: Sequence[Unpaired]) -> dict[str, Any]:
    return {
        "ratios": [explorer_data.number(row.ratio.value) if row.ratio else None for row in rows],
        "off": [explorer_data.off(row.ratio) if row.ratio else None for row in rows],
        "claims": explorer_data.coded([row.claim if row.ratio else None for row in rows]),
        "notes": explorer_data.coded([_note(row) or None for row in rows]),
    }
