"""The tables about several devices: what was published, and the scaling efficiency that was measured here."""

from collections.abc import Sequence

from analysis import units
from analysis.articles import ARTICLES
from analysis.compare import published_scaling
from analysis.estimate import scaling
from analysis.found import Found
from analysis.groups import grouped
from analysis.literature import OTHERS
from analysis.site import template
from analysis.stats.interval import Interval
from analysis.text import html
from analysis.units import digits, share, workload_title

HEADER = ("source", "network", "framework", "devices", "times as fast", "efficiency")
CAPTION = (
    "Published trainings on several GPUs, compared with one GPU. Efficiency is the speed-up over the number of GPUs."
)
MEASURED_HEADER = ("framework", "network", "devices", "strong scaling", "weak scaling", "communication")
MEASURED_CAPTION = "Scaling efficiency with 99 % intervals, and the time of a step in communication, where reported."


def page(_: Found) -> str:
    """Return the fragment of published tables."""
    rows = [
        (_source(each), workload_title(each.workload), each.framework, f"{each.devices} x {each.hardware}",
         digits(each.speed_up), share(each.efficiency))
        for each in published_scaling.known()
    ]  # fmt: skip
    return template.render("table.html", caption=CAPTION, header=HEADER, rows=rows, kind="claims")


def _source(each: published_scaling.Scaling) -> str:
    if each.source in OTHERS:
        return html.link(OTHERS[each.source], each.source)
    name = next(name for name, article in ARTICLES.items() if article.source == each.source)
    return html.join([html.link(f"../articles/{name}/", each.source), f", {each.table}"])


def measured(found: Found) -> str:
    """Return the fragment of what was measured: a row for each competitor on several devices."""
    efficiencies = scaling.scalings(found.results.ablations, found.changed)
    rows = [_row(found, own) for own in grouped(efficiencies, lambda each: (each.question, each.cell.row)).values()]
    if not rows:
        return '<p class="missing">Nothing yet.</p>'
    return template.render(
        "table.html", caption=MEASURED_CAPTION, header=MEASURED_HEADER, rows=sorted(rows), kind="claims"
    )


def _row(found: Found, own: Sequence[scaling.Scaling]) -> tuple[str, ...]:
    """Return the row of a competitor's efficiencies at one batch size."""
    question, cell, devices = own[0].question, own[0].cell, own[0].devices
    kinds = {each.kind: _between(each.efficiency) for each in own}
    spent = units.NONE if cell.communication_s is None else units.seconds(cell.communication_s)
    return (
        f"{cell.title} ({cell.row[1]}), batch {question.batch_size:,}",
        html.link(f"../generated/workloads/{question.workload}/", workload_title(question.workload)),
        f"{devices} {'replicas on' if question.device == 'cpu' else 'x'} {found.names[question.machine]}",
        *(kinds.get(kind, units.NONE) for kind in ("strong", "weak")),
        spent,
    )


def _between(efficiency: Interval) -> str:
    bounds = "" if efficiency.low is None else " to ".join(map(share, efficiency.bounds))
    return f"{share(efficiency.value)} ({bounds})" if bounds else share(efficiency.value)
