"""Versions of years ago beside today's, on one machine in the same rounds: what the years brought to each software."""

from collections.abc import Sequence
from typing import NamedTuple

from analysis import units
from analysis.compare import orders
from analysis.data.cells import machine_names
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.lineage import Gain
from analysis.site import template
from analysis.site.pages import Found, figure
from analysis.site.pages.explorer_data import workload_link
from analysis.text import html, sentences
from analysis.text.html import Markup

NAME = "then_and_now"  # of the figure


def page(found: Found) -> str:
    """Return the figure of the machine with most versions, and a table of each machine."""
    known = _known(found)
    drawn = figure(found, NAME, "", next(iter(known)), "../") if known else ""
    return f"{drawn}\n{_rendered(found, known, '../')}"


def of_article(found: Found, workloads: Sequence[str]) -> str:
    """Return what the years brought to an article's workloads, and what became of its orders of frameworks."""
    known = {machine: [each for each in own if each.question.workload in workloads]
             for machine, own in _known(found).items()}  # fmt: skip
    return _rendered(found, {machine: own for machine, own in known.items() if own}, "../../")


def _rendered(found: Found, known: dict[str, list[Estimates]], root: str) -> str:
    names = machine_names(found.results)
    machines = {names[machine]: _years(own, root) for machine, own in known.items()}
    reordered = [f"{names[machine]}: {each.told}" for machine, own in known.items() for answer in own
                 for each in orders.of(answer) if each.same or each.contrary]  # fmt: skip
    return template.render("then_and_now.html", machines=machines, orders=reordered)


def _known(found: Found) -> dict[str, list[Estimates]]:
    """Return, by machine, that with most versions first, each workload's question with a history."""
    known = {
        machine: lineage.with_history([each for each in found.answers if each.question.machine == machine])
        for machine in found.results.machines
    }
    ordered = sorted(known.items(), key=lambda item: -sum(len(lineage.versions(each)) for each in item[1].values()))
    return {machine: list(own.values()) for machine, own in ordered if own}


class Years(NamedTuple):
    """A machine's table: a column for each software with its versions, a row for each workload."""

    header: list[str]
    rows: list[list[Markup | str]]


def _years(answers: Sequence[Estimates], root: str) -> Years:
    """Return what the years brought where the first and the last version share enough rounds for an interval."""
    gains = {each.question: [gain for gain in lineage.gains(each) if gain.ratio and gain.ratio.low is not None]
             for each in answers}  # fmt: skip
    columns = sorted({_versions(gain) for own in gains.values() for gain in own})
    return Years(["workload", *columns], [_row(about, own, columns, root) for about, own in gains.items() if own])


def _row(about: Question, gains: Sequence[Gain], columns: Sequence[str], root: str) -> list[Markup | str]:
    batch = html.element("small", f"batch {about.batch_size}, {units.count(about.threads, 'thread')}")
    known = {_versions(gain): sentences.faster(gain.ratio, gain.claim) for gain in gains if gain.ratio}
    return [html.join([workload_link(about.workload, root), batch]), *(known.get(name, units.NONE) for name in columns)]


def _versions(gain: Gain) -> str:
    older, newer = (f"{each.cell.title} ({each.released[:4]})" for each in (gain.older, gain.newer))
    return f"{older} → {newer}"
