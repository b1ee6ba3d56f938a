"""Versions of years ago and today's, on one machine in the same rounds: the speed-up of each software."""

from collections.abc import Mapping, Sequence

from analysis import units
from analysis.compare import orders
from analysis.compare.orders import Orders
from analysis.estimate import lineage
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.lineage import Gain
from analysis.figures import then_and_now as history
from analysis.found import Found
from analysis.site import links, template
from analysis.site.pages import figures, with_bounds
from analysis.text import html, sentences
from analysis.text.html import Markup
from bench import registry

ROOT = "../"
Answers = Mapping[str, Sequence[Estimates]]  # by machine


def page(found: Found) -> str:
    """Return the figure of the machine with most versions, and a table of each machine."""
    answers = history.known(found)
    by_machine: dict[str, list[Orders]] = {}
    for machine, decided in _orders(answers):
        by_machine.setdefault(found.names[machine], []).append(decided)
    texts = [_summed(name, tables) for name, tables in by_machine.items()]
    return f"{figures(found, 'then_and_now', ROOT)}\n{_rendered(answers, found.names, texts, ROOT)}"


def of_article(found: Found, workloads: Sequence[str]) -> str:
    """Return the speed-ups on an article's workloads, and whether its orders of frameworks are still true."""
    answers = {machine: kept for machine, every in history.known(found).items()
               if (kept := [answer for answer in every if answer.question.workload in workloads])}  # fmt: skip
    texts = [f"{found.names[machine]}: {decided.told}" for machine, decided in _orders(answers)]
    return _rendered(answers, found.names, texts, "../../")


def _rendered(answers: Answers, names: Mapping[str, str], texts: Sequence[str], root: str) -> str:
    machines = {names[machine]: _years(of_machine, root) for machine, of_machine in answers.items()}
    return template.render("then_and_now.html", machines=machines, orders=texts)


def _orders(answers: Answers) -> list[tuple[str, Orders]]:
    """Return the orders of each published table by machine, if any order is decided."""
    return [(machine, decided) for machine, of_machine in answers.items() for answer in of_machine
            for decided in orders.of(answer) if decided.same or decided.contrary]  # fmt: skip


def _summed(machine: str, tables: Sequence[Orders]) -> str:
    """Return how many published orders are still true on a machine. The pages of articles have each table."""
    counts = {"as published": sum(len(table.same) for table in tables),
              "reversed": sum(len(table.contrary) for table in tables),
              "not significant": sum(len(table.open) for table in tables)}  # fmt: skip
    total = units.count(sum(counts.values()), "published order")
    return f"{machine}: {total}, {units.listing(f'{number} {what}' for what, number in counts.items() if number)}."


def _years(answers: Sequence[Estimates], root: str) -> tuple[list[str], list[list[Markup | str]]]:
    """Return header and rows: the speed-up, if the first and the last version share enough rounds for an interval."""
    by_question = {
        answer.question: {_versions(gain): sentences.faster(gain.ratio, gain.claim)
                          for gain in lineage.gains(answer) if gain.ratio and gain.ratio.low is not None}
        for answer in answers
    }  # fmt: skip
    columns = sorted({versions for gains in by_question.values() for versions in gains})
    rows = [[_label(question, root), *(gains.get(versions, units.NONE) for versions in columns)]
            for question, gains in by_question.items() if gains]  # fmt: skip
    return ["workload", *columns], rows


def _label(question: Question, root: str) -> Markup:
    name, title = question.workload, units.workload_title(question.workload)
    linked = html.link(links.workload(root, name), title) if registry.has_workload(name) else title
    return with_bounds(linked, f"batch {question.batch_size}, {units.count(question.threads, 'thread')}")


def _versions(gain: Gain) -> str:
    older, newer = (f"{version.cell.title} ({version.released[:4]})" for version in (gain.older, gain.newer))
    return f"{older} → {newer}"
