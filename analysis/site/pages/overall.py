"""Over all workloads: geometric means of the ratios to one competitor, each workload's own ratio beside them."""

from collections.abc import Sequence

from analysis import units
from analysis.estimate import aggregate, crosscheck
from analysis.estimate.cells import Cell
from analysis.estimate.crosscheck import Check
from analysis.estimate.estimates import Estimates
from analysis.estimate.pairs import Pair
from analysis.site.pages import Found, columns, competitor, details, with_bounds
from analysis.site.pages.explorer_data import workload_link
from analysis.stats import Row
from analysis.stats.bootstrap import MIN_ROUNDS
from analysis.stats.interval import Interval
from analysis.text import html, sentences
from analysis.text.html import Markup
from analysis.units import workload_title

TITLE = "Over several workloads"
FEWEST = 2  # of workloads, and of competitors


def section(found: Found, answers: Sequence[Estimates], heading: str, root: str = "") -> str:
    """Return a section on some workloads' answers; nothing where no two competitors share two of one campaign.

    `root` leads to the site's top.
    """
    alike = max(aggregate.blocks(answers), key=len, default=[])  # a forward pass is no training step
    own, rows = aggregate.shared(aggregate.of_one_campaign(found.results, alike))
    if min(len(own), len(rows)) < FEWEST:
        return ""
    mean = aggregate.geometric_means(found.results, own, rows)
    sentence = f"By the geometric mean over {len(own)} workloads: {sentences.leaders(mean)}"
    parts = [html.paragraph(sentence), _table(found, mean, own, root), _left_out(answers, own, rows)]
    return "\n".join([f"\n{heading}\n", *parts])


def _table(found: Found, mean: Estimates, own: Sequence[Estimates], root: str) -> Markup:
    base = mean.cells[0]
    header = ["workload", *(competitor(cell.title, cell.row) for cell in mean.cells)]
    pairs = [cell.to_fastest for cell in mean.cells if cell.to_fastest]
    checks = {pair.b: check for pair, check in zip(pairs, crosscheck.checks(found.results, own, pairs), strict=True)}
    first = [f"geometric mean over {len(own)}", *(_mean(mean, cell, checks.get(cell.row)) for cell in mean.cells)]
    rows = [
        [workload_link(each.question.workload, root), *(_ratio(each, cell.row, base.row) for cell in mean.cells)]
        for each in own
    ]
    caption = (
        f"Time as a multiple of that of {base.title} ({base.row[1]}), measured {columns.days(found, own)}. Small "
        f"print: 99 % interval over whole rounds; the same by resampling rounds, from {MIN_ROUNDS} on; rank, where "
        "equal ranks (=) are ties."
    )
    return html.table(caption, header, [first, *rows], "ranking")


def _mean(mean: Estimates, cell: Cell, check: Check | None) -> Markup:
    """Return a competitor's geometric mean, with both intervals and its rank."""
    if cell.time is None:
        return html.element("small", html.safe(cell.reason))
    rank = html.element("small", f"rank {sentences.rank(mean, cell)}")
    value = html.element("b", sentences.ratio(cell))
    if check is None:
        return html.join([value, rank])
    resampled = [details.resampled(check)] if check.resampled.low else []
    return html.join([with_bounds(value, sentences.ratio_between(cell)), *resampled, rank])


def _ratio(answer: Estimates, row: Row, base: Row) -> Markup:
    """Return a competitor's ratio to the one that all are compared with, in one workload."""
    if row == base:
        return html.safe(units.factor(1.0))
    ratios = [_over(pair, base) for pair in answer.pairs if {pair.a, pair.b} == {row, base}]
    if not ratios:
        return html.safe(units.NONE)
    return with_bounds(units.factor(ratios[0].value), units.between(ratios[0], units.RATIO))


def _over(pair: Pair, base: Row) -> Interval:
    return pair.ratio if pair.a == base else pair.ratio.inverse()


def _left_out(answers: Sequence[Estimates], own: Sequence[Estimates], rows: Sequence[Row]) -> Markup:
    """Say which competitors and workloads the means are not over: one that lacks much would leave little in common."""
    known = {cell.row: cell.title for each in answers for cell in each.cells}
    absent = [f"{title} ({row[1]})" for row, title in sorted(known.items()) if row not in rows]
    others = [workload_title(each.question.workload) for each in answers if each not in own]
    named = (("Competitors", absent), ("Workloads", others))
    parts = [f"{what} left out: {units.listing(names)}." for what, names in named if names]
    return html.paragraph(" ".join(parts), "source") if parts else Markup("")
