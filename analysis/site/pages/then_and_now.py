"""Versions of years ago beside today's, on one machine in the same rounds: what the years brought to each software."""

from collections.abc import Mapping, Sequence

from analysis import units
from analysis.compare import orders
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.lineage import Gain
from analysis.figures import then_and_now as history
from analysis.found import Found
from analysis.site import template
from analysis.site.pages import figures, workload_link
from analysis.text import html, sentences
from analysis.text.html import Markup


def page(found: Found) -> str:
    """Return the figure of the machine with most versions, and a table of each machine."""
    known = history.known(found)
    drawn = figures(found, "then_and_now", "../")
    names, made = found.names, _orders(known)
    told = [_summed(names[machine], [own for place, own in made if place == machine]) for machine in dict(made)]
    return f"{drawn}\n{_rendered(known, names, told, '../')}"


def of_article(found: Found, workloads: Sequence[str]) -> str:
    """Return what the years brought to an article's workloads, and what became of its orders of frameworks."""
    known = {machine: [each for each in own if each.question.workload in workloads]
             for machine, own in history.known(found).items()}  # fmt: skip
    names, own = found.names, {machine: answers for machine, answers in known.items() if answers}
    return _rendered(own, names, [f"{names[machine]}: {each.told}" for machine, each in _orders(own)], "../../")


def _rendered(known: dict[str, list[Estimates]], names: Mapping[str, str], told: Sequence[str], root: str) -> str:
    machines = {names[machine]: _years(own, root) for machine, own in known.items()}
    return template.render("then_and_now.html", machines=machines, orders=told)


def _orders(known: dict[str, list[Estimates]]) -> list[tuple[str, orders.Orders]]:
    """Return what became of the orders of each published table, by machine, where any is decided."""
    return [(machine, each) for machine, own in known.items() for answer in own
            for each in orders.of(answer) if each.same or each.contrary]  # fmt: skip


def _summed(machine: str, own: Sequence[orders.Orders]) -> str:
    """Return what became of all published orders on a machine: the pages of articles have each table."""
    became = {"as published": [len(each.same) for each in own], "reversed": [len(each.contrary) for each in own],
              "not significant": [len(each.open) for each in own]}  # fmt: skip
    total = units.count(sum(map(sum, became.values())), "published order")
    return f"{machine}: {total}, {units.listing(f'{sum(each)} {what}' for what, each in became.items() if sum(each))}."


def _years(answers: Sequence[Estimates], root: str) -> tuple[list[str], list[list[Markup | str]]]:
    """Return header and rows: what the years brought if the first and the last version share rounds for an interval."""
    gains = {each.question: [gain for gain in lineage.gains(each) if gain.ratio and gain.ratio.low is not None]
             for each in answers}  # fmt: skip
    columns = sorted({_versions(gain) for own in gains.values() for gain in own})
    return ["workload", *columns], [_row(about, own, columns, root) for about, own in gains.items() if own]


def _row(about: Question, gains: Sequence[Gain], columns: Sequence[str], root: str) -> list[Markup | str]:
    batch = html.element("small", f"batch {about.batch_size}, {units.count(about.threads, 'thread')}")
    known = {_versions(gain): sentences.faster(gain.ratio, gain.claim) for gain in gains if gain.ratio}
    return [html.join([workload_link(about.workload, root), batch]), *(known.get(name, units.NONE) for name in columns)]


def _versions(gain: Gain) -> str:
    older, newer = (f"{each.cell.title} ({each.released[:4]})" for each in (gain.older, gain.newer))
    return f"{older} → {newer}"
