"""One page per network: its results on every machine, why they differ, and the code that was measured."""

import math
import re
from collections.abc import Iterator, Sequence

from analysis import kinds, units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.estimate.standing import Standing, leading, standings
from analysis.found import Found
from analysis.site import links, template
from analysis.site.pages import code, figures, newer_releases, plain, why
from analysis.text import html, sentences, slowdown
from analysis.text.html import Cell as Text
from analysis.units import workload_about, workload_title
from bench import proof, registry

ROOT = "../../../"  # from generated/workloads/<name>/ to the site's top
LEADING = ("network", "kind", "on CPUs", "on GPUs")
SENTENCE = re.compile(r"(?<!et al)\. (?=[A-Z])")
MOST_ABOUT = 45  # words of what a network is: its file, below, holds the rest
STALE = " \u2020"  # a row with a newer release
HEADER = ("environment", "slow-down", "examples/s", "time", "slower than")


def index(found: Found) -> str:
    """Return the page that lists the networks, each with the fastest environments on CPUs and on GPUs."""
    rows = [[html.link(f"{name}/", workload_title(name)), kinds.kind(name) or units.NONE, *_leading(found, name)]
            for name in registry.workload_names()]  # fmt: skip
    return template.render("workloads.md", header=LEADING, rows=rows, results=links.results("../../"))


def _leading(found: Found, name: str) -> Iterator[str]:
    """Yield which environments lead or tie on CPUs, then on GPUs, with the number of machines."""
    firsts = [standing.answers[0] for standing in standings(found.defaults, list(found.names), name)]
    for device in kinds.DEVICES:
        answers = [answer for answer in firsts if answer.question.device == device and len(answer.measured) > 1]
        counts = [f"{family} {number}/{len(answers)}" for family, number in leading(answers).items()]
        yield ", ".join(counts) or units.NONE


def page(found: Found, name: str) -> str:
    """Return one network's page."""
    shown = standings(found.defaults, list(found.names), name)
    measured = {(standing.machine, cell.row[0]) for standing in shown
                for answer in standing.answers for cell in answer.measured}  # fmt: skip
    bases = [html.link(links.workload(ROOT, base), workload_title(base)) for base in proof.builds_on(name)]
    return template.render(
        "workload.md",
        title=workload_title(name),
        about=html.Markup(about(name)),
        brief=plain(why.brief(shown, name)),
        picture=figures(found, f"workloads/{name}", ROOT),
        tables=[table for standing in shown for table in _tables(found, standing)],
        missing=_missing(found, {standing.machine for standing in shown}),
        newer=newer_releases(found, measured),
        reasons=why.reasons(found, shown, name) if shown else [],
        results=links.results(ROOT, workload=name),
        pairs=links.data(ROOT, "pairs.csv"),
        coverage=f"{ROOT}coverage/",
        changed=code.changed(found, name),
        code=code.beside(name),
        others=code.elsewhere(name, ROOT),
        bases=html.join(bases, ", "),
    )


def about(name: str) -> str:
    """Return a description of a network in one or two sentences."""
    kept: list[str] = []
    for sentence in SENTENCE.split(workload_about(name)):
        if kept and len(" ".join([*kept, sentence]).split()) > MOST_ABOUT:
            break
        kept.append(sentence)
    return f"{'. '.join(kept).rstrip('.')}."


def _tables(found: Found, standing: Standing) -> Iterator[tuple[str, Sequence[str], list[list[Text]], html.Markup]]:
    """Yield the caption, the header and the rows of a table for each precision, and the families without a time."""
    for answer in standing.answers:
        has_peak = any(cell.used.of_peak is not None for cell in answer.measured)
        header = [*HEADER, "of matmul peak", *(["of datasheet peak"] if has_peak else [])]
        unit = units.common([cell.time.value for cell in answer.measured if cell.time], units.SECONDS)
        campaigns = len({campaign.name for campaign in found.results.answered[answer.question.key]})
        rounds = units.count(max(cell.rounds for cell in answer.measured), "round")
        basis = f"{units.count(campaigns, 'campaign')}, {rounds}"
        yield (
            f"{found.names[standing.machine]}: {sentences.described(answer.question)} ({basis})",
            header,
            [_row(found, answer, cell, unit)[: len(header)] for cell in answer.by_time if cell.time],
            _untimed(standing) if answer is standing.answers[-1] else html.Markup(""),
        )


def _row(found: Found, answer: Estimates, cell: Cell, unit: units.Unit) -> list[Text]:
    seconds = cell.time.value if cell.time else math.nan
    unsteady = [html.element("small", sentences.unsteady(cell))] if cell.unsteady else []
    shares = (cell.used.of_product, cell.used.of_peak)
    return [
        cell.title.split(",")[0] + STALE * bool(found.newer(answer.question.machine, cell.row[0])),
        slowdown.words(answer, cell),
        units.whole(answer.question.batch_size / seconds),
        html.join([units.with_unit(seconds, unit), *unsteady]),
        str(slowdown.slower_than(answer, cell) or units.NONE),
        *(units.NONE if share is None else units.share(share) for share in shares),
    ]


def _untimed(standing: Standing) -> html.Markup:
    """Return the families without a time on a machine, by reason."""
    names: dict[str, list[str]] = {}
    for name, reason in standing.untried.items():
        names.setdefault(reason, []).append(name)
    return plain(why.sentence(f"{reason}: {units.listing(untimed)}") for reason, untimed in names.items())


def _missing(found: Found, measured: set[str]) -> str:
    """Return the machines that have no time of a network, without those with a single, perhaps quick, campaign."""
    machines = (name for name in found.names if name not in measured and len(found.campaigns(name)) > 1)
    return units.listing(found.names[name] for name in machines)
