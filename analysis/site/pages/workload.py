"""One page per network: its results on every machine, why they differ, and the code that was measured."""

import re
from collections.abc import Iterator, Sequence

from analysis import kinds, units
from analysis.estimate import standing
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.estimate.standing import Standing
from analysis.found import Found
from analysis.site import links, template
from analysis.site.pages import code, figures, plain, releases_of, why
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
    """Return the page that lists the networks, each with who is fastest on how many machines."""
    rows = [[html.link(f"{name}/", workload_title(name)), kinds.kind(name) or units.NONE, *_leading(found, name)]
            for name in registry.workload_names()]  # fmt: skip
    return template.render("workloads.md", header=LEADING, rows=rows, results=links.results("../../"))


def _leading(found: Found, name: str) -> list[str]:
    """Return which environments lead or tie on CPUs and on GPUs, with the number of machines."""
    shown = standing.standings(found.defaults, list(found.names), name)
    answers = [each.answers[0] for each in shown if len(each.answers[0].measured) > 1]
    return [_fastest([each for each in answers if each.question.device == device]) for device in kinds.DEVICES]


def _fastest(answers: Sequence[Estimates]) -> str:
    leading = standing.leading(answers)
    return ", ".join(f"{name} {number}/{len(answers)}" for name, number in leading.items()) or units.NONE


def page(found: Found, name: str) -> str:
    """Return one network's page."""
    shown = standing.standings(found.defaults, list(found.names), name)
    return template.render(
        "workload.md",
        title=workload_title(name),
        about=html.Markup(about(name)),
        brief=plain(why.brief(shown, name)),
        picture=figures(found, f"workloads/{name}", ROOT),
        tables=[table for each in shown for table in _tables(found, each)],
        missing=_missing(found, shown),
        newer=_newer(found, shown),
        reasons=why.reasons(found, shown, name) if shown else [],
        results=links.results(ROOT, workload=name),
        pairs=links.data(ROOT, "pairs.csv"),
        coverage=f"{ROOT}coverage/",
        changed=code.changed(found, name),
        code=code.beside(name),
        others=code.elsewhere(name, ROOT),
        bases=html.join(
            (html.link(links.workload(ROOT, base), workload_title(base)) for base in proof.builds_on(name)), ", "
        ),
    )


def about(name: str) -> str:
    """Return what a network is in a sentence or two; the statement in its file says all of it."""
    kept: list[str] = []
    for sentence in SENTENCE.split(workload_about(name)):
        if kept and len(" ".join([*kept, sentence]).split()) > MOST_ABOUT:
            break
        kept.append(sentence)
    return f"{'. '.join(kept).rstrip('.')}."


def _tables(found: Found, own: Standing) -> Iterator[tuple[str, Sequence[str], list[list[Text]], html.Markup]]:
    """Yield the caption, the header and the rows of a table for each precision, and what is missing below it."""
    for answer in own.answers:
        peak = any(cell.used.of_peak is not None for cell in answer.measured)
        header = [*HEADER, "of matmul peak", *(["of datasheet peak"] if peak else [])]
        unit = units.common([cell.time.value for cell in answer.measured if cell.time], units.SECONDS)
        rows = [_row(found, answer, cell, unit, peak) for cell in answer.by_time if cell.time]
        untimed = html.Markup("") if answer is not own.answers[-1] else _untimed(own)
        yield (
            f"{found.names[own.machine]}: {sentences.described(answer.question)} ({_campaigns(found, answer)})",
            header,
            rows,
            untimed,
        )


def _campaigns(found: Found, answer: Estimates) -> str:
    campaigns = {each.name for each in found.results.answered[answer.question.key]}
    rounds = max(cell.rounds for cell in answer.measured)
    return f"{units.count(len(campaigns), 'campaign')}, {units.count(rounds, 'round')}"


def _row(found: Found, answer: Estimates, cell: Cell, unit: units.Unit, peak: bool) -> list[Text]:
    value = cell.time.value if cell.time else None
    unsteady = [html.element("small", sentences.unsteady(cell))] if cell.unsteady else []
    slower = slowdown.slower_than(answer, cell)
    return [
        cell.title.split(",")[0] + STALE * bool(found.newer(answer.question.machine, cell.row[0])),
        slowdown.words(answer, cell),
        units.whole(answer.question.batch_size / value) if value else units.NONE,
        html.join([units.with_unit(value, unit), *unsteady]),
        str(slower) if slower else units.NONE,
        _share(cell.used.of_product),
        *([_share(cell.used.of_peak)] if peak else []),
    ]


def _share(value: float | None) -> str:
    return units.NONE if value is None else units.share(value)


def _untimed(own: Standing) -> html.Markup:
    """Return what has no time on a machine, by its reason."""
    named: dict[str, list[str]] = {}
    for name, reason in own.untried.items():
        named.setdefault(reason, []).append(name)
    told = [f"{reason[:1].upper()}{reason[1:]}: {units.listing(names)}." for reason, names in named.items()]
    return plain(told)


def _newer(found: Found, shown: Sequence[Standing]) -> str:
    """Return the newer releases of what was measured: those of the rows that are marked."""
    cells = {(own.machine, cell.row[0]) for own in shown for answer in own.answers for cell in answer.measured}
    return releases_of(release for machine, name in sorted(cells) for release in found.newer(machine, name))


def _missing(found: Found, shown: Sequence[Standing]) -> str:
    """Return the machines that have no time of a network; those of a reader who measured little are not reproached."""
    known = {each.machine for each in shown}
    return units.listing(
        found.names[machine] for machine in found.names if machine not in known and _asks_all(found, machine)
    )


def _asks_all(found: Found, machine: str) -> bool:
    """Say whether a machine has more than one campaign: one quick one leaves out most networks by intention."""
    return len(found.campaigns(machine)) > 1
