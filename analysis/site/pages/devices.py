"""The tables about several devices: what was published, and the scaling efficiency that was measured here."""

from collections.abc import Sequence

from analysis import units
from analysis.articles import ARTICLES
from analysis.compare import published_scaling
from analysis.estimate.scaling import Scaling, scalings
from analysis.found import Found, once
from analysis.groups import grouped
from analysis.literature import OTHERS
from analysis.site import template
from analysis.stats.interval import Interval
from analysis.text import html

HEADER = ("source", "network", "devices", "times as fast as one (efficiency)")
CAPTION = "Published trainings on several GPUs. Efficiency is the speed-up over the number of GPUs."
MEASURED_HEADER = ("framework", "strong scaling", "weak scaling", "communication in a step")


def page(_: Found) -> str:
    """Return the fragment of published tables: a row for each, the fastest frameworks first."""
    tables = grouped(published_scaling.known(), lambda each: (*each[:3], each.devices, each.hardware)).values()
    return template.render("table.html", caption=CAPTION, header=HEADER, rows=map(_published, tables), kind="claims")


def _published(own: Sequence[published_scaling.Scaling]) -> tuple[str, ...]:
    first, fastest = own[0], sorted(own, key=lambda each: -each.speed_up)
    return (
        _source(first),
        units.workload_title(first.workload),
        f"{first.devices} x {first.hardware.partition(',')[0]}",
        ", ".join(
            f"{each.framework}: {units.digits(each.speed_up)} ({units.share(each.efficiency)})" for each in fastest
        ),
    )


def _source(each: published_scaling.Scaling) -> html.Markup:
    if each.source in OTHERS:
        return html.link(OTHERS[each.source], each.source)
    name, article = next((name, article) for name, article in ARTICLES.items() if article.source == each.source)
    return html.link(f"../articles/{name}/", f"{article.title}, table {each.table.partition('.')[0]}")


@once
def efficiencies(found: Found) -> list[Scaling]:
    """Return all efficiencies that were measured."""
    return list(scalings(found.results.ablations, found.changed))


def measured(found: Found) -> str:
    """Return the fragment of what was measured: of each network on each machine, at the largest batch size."""
    by_size = sorted(efficiencies(found), key=lambda each: each.question.batch_size)
    by_competitor = grouped(by_size, lambda each: (each.question._replace(batch_size=0), each.cell.row, each.kind))
    largest = [own[-1] for own in by_competitor.values()]
    tables = grouped(largest, lambda each: (each.question, each.devices)).values()
    return "\n".join(_table(found, own) for own in tables) or '<p class="missing">Nothing yet.</p>'


def _table(found: Found, own: Sequence[Scaling]) -> str:
    """Return the table of a network on a machine: a row for each competitor."""
    question, devices = own[0].question, own[0].devices
    number = f"{devices} replicas on" if question.device == "cpu" else f"{devices} x"
    caption = (
        f"{units.workload_title(question.workload)}, batch {question.batch_size:,}: scaling efficiency of {number} "
        f"{found.names[question.machine]}."
    )
    rows = [_row(each) for each in grouped(own, lambda each: each.cell.row).values()]
    return template.render("table.html", caption=caption, header=MEASURED_HEADER, rows=sorted(rows), kind="claims")


def _row(own: Sequence[Scaling]) -> tuple[str, ...]:
    cell, kinds = own[0].cell, {each.kind: _between(each.efficiency) for each in own}
    spent = units.NONE if cell.communication_s is None else units.seconds(cell.communication_s)
    return cell.title, *(kinds.get(kind, units.NONE) for kind in ("strong", "weak")), spent


def _between(efficiency: Interval) -> str:
    value = units.share(efficiency.value)
    if efficiency.low is None:
        return value
    return f"{value} ({' to '.join(units.digits(100 * bound) for bound in efficiency.bounds)})"
