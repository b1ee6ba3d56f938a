"""One page per network: its results on every machine, why they differ, and the code that was measured."""

import math
import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis import kinds, units
from analysis.compare import coverage
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.estimate.lineage import software
from analysis.estimate.standing import Other, Standing, leading, standings
from analysis.found import Found
from analysis.groups import collected
from analysis.site import links, template
from analysis.site.pages import figures, in_full, newer_releases, plain, why
from analysis.text import html, sentences
from analysis.text.frameworks import answering, by_framework, dated_title, framework_title, is_of_today
from analysis.units import workload_about, workload_title
from bench import proof, registry

ROOT = "../../../"  # from generated/workloads/<name>/ to the site's top
SENTENCE = re.compile(r"(?<!et al)\. (?=[A-Z])")
MOST_ABOUT = 45  # words of what a network is: its file, below, holds the rest
STALE = " \u2020"  # a row with a newer release
HEADER = ("environment", "slow-down", "examples/s", "time", "slower than")


MEASURED = ("machine", "campaign", "environment", "code", "proof")
BOX = '<input type="checkbox" class="pick-{}"{}>'
SHOWN = (2, 3)  # boxes that are checked at first: two frameworks
CHANGED = {
    coverage.OTHER_CODE: "Changed since the measurement: the files of {}.",
    coverage.OTHER_PROOF: "Changed since the measurement: the adapter of {}, or the problem's statement.",
}


def index(found: Found) -> str:
    """Return the page that lists the networks, each with the fastest environments on CPUs and on GPUs."""
    rows = [[html.link(f"{name}/", workload_title(name)), kinds.kind(name) or units.NONE, *_leading(found, name)]
            for name in registry.workload_names()]  # fmt: skip
    return template.render(
        "workloads.md", header=("network", "kind", "on CPUs", "on GPUs"), rows=rows, results=links.results("../../")
    )


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
    # not machines with a single, perhaps quick, campaign
    missing = [title for machine, title in found.names.items() if len(found.campaigns(machine)) > 1
               and machine not in {standing.machine for standing in shown}]  # fmt: skip
    bases = [html.link(links.workload(ROOT, base), workload_title(base)) for base in proof.builds_on(name)]
    return template.render(
        "workload.md",
        title=workload_title(name),
        about=html.Markup(about(name)),
        brief=plain(why.brief(shown, name)),
        picture=figures(found, f"workloads/{name}", ROOT),
        tables=[table for standing in shown for table in _tables(found, standing)],
        missing=units.listing(missing),
        newer=newer_releases(found, measured),
        reasons=why.reasons(found, shown, name, ROOT) if shown else [],
        results=links.results(ROOT, workload=name),
        pairs=links.data(ROOT, "pairs.csv"),
        coverage=f"{ROOT}coverage/",
        changed=changed(found, name),
        code=beside(name),
        others=elsewhere(name, ROOT),
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


def _tables(
    found: Found, standing: Standing
) -> Iterator[tuple[str, Sequence[str], list[list[str]], Sequence[html.Markup]]]:
    """Yield the caption, header and rows of a table for each precision, and notes on the families outside it."""
    names = collected((reason, name) for name, reason in standing.untried.items())
    untimed = plain(why.sentence(f"{reason}: {units.listing(untimed)}") for reason, untimed in names.items())
    for answer, others in zip(standing.answers, standing.others, strict=True):
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
            [*_others(others), *([untimed] if untimed and answer is standing.answers[-1] else [])],
        )


def _others(others: Sequence[Other]) -> list[html.Markup]:
    """Return the ratios of further families to the fastest of the table; Results has their intervals."""
    told = [f"{other.family} {'' if other.pair.claim == 'faster' else '~'}{units.factor(other.pair.ratio.value)}x"
            for other in others if other.pair]  # fmt: skip
    return [plain([f"Beside the fastest above (~: not significant): {', '.join(told)}."])] if told else []


def _row(found: Found, answer: Estimates, cell: Cell, unit: units.Unit) -> list[str]:
    seconds = cell.time.value if cell.time else math.nan
    unsteady = [html.element("small", sentences.unsteady(cell))] if cell.unsteady else []
    shares = (cell.used.of_product, cell.used.of_peak)
    return [
        cell.title.split(",")[0] + STALE * bool(found.newer(answer.question.machine, cell.row[0])),
        sentences.slow_down(answer, cell),
        units.whole(answer.question.batch_size / seconds),
        html.join([units.with_unit(seconds, unit), *unsteady]),
        str(sentences.slower_than(answer, cell) or units.NONE),
        *(units.NONE if share is None else units.share(share) for share in shares),
    ]


def beside(name: str) -> str:
    """Return a network's statement and the code of each framework measured by default: any of them side by side.

    Boxes above choose what is shown; site.css hides the rest, so that no script is needed.
    """
    shown = [("NumPy statement", f"bench/workloads/{name}.py")]
    shown += [(dated_title(own), _path(own[0].folder, f"{name}.py")) for own in answering(name) if is_of_today(own)]
    picks = (html.Markup(BOX.format(number, " checked" * (number in SHOWN))) for number in range(1, len(shown) + 1))
    labels = (html.join([pick, " ", title]) for pick, (title, _) in zip(picks, shown, strict=True))
    boxes = "".join(html.element("label", label) for label in labels)
    blocks = [block(path, kind=f"code-{number}") for number, (_, path) in enumerate(shown, 1)]
    chosen = f'<fieldset class="choose"><legend>Show side by side</legend>{boxes}</fieldset>'
    content = textwrap.indent("\n".join([chosen, "", *blocks, ""]), "    ")
    return f'!!! stone ""\n\n{content}'


def elsewhere(name: str, root: str) -> list[html.Markup]:
    """Return links to the code of all other frameworks that answer a network, on a page each."""
    return [html.link(f"{root}generated/code/{own[0].framework}/#{name}", software(framework_title(own)))
            for own in answering(name) if not is_of_today(own)]  # fmt: skip


def code_page(name: str) -> str:
    """Return a framework's page of code: its environments, its adapter, and models that no other page shows."""
    environments = by_framework()[name]
    folder, workloads = environments[0].folder, registry.workload_names()
    files = {entry[:-3]: block(_path(folder, entry)) for entry in sorted(os.listdir(folder)) if entry.endswith(".py")}
    models = [] if is_of_today(environments) else registry.answered(environments[0])
    return template.render(
        "code.md",
        title=dated_title(environments),
        definition=html.Markup(block(_path(folder, "framework.toml"), language="toml")),
        adapter=[html.Markup(text) for stem, text in files.items() if stem not in workloads],
        models=[(model, units.workload_title(model), html.Markup(files[model])) for model in models],
        back=f"../../frameworks/{name}/",
    )


def block(path: str, kind: str = "", language: str = "python") -> str:
    """Return a file of the repository as a block of code, kept out of the search index: every page fetches that."""
    classes = f".{language} .{kind}" if kind else f".{language}"
    return f'``` {{ {classes} title="{path}" data-search-exclude }}\n--8<-- "{path}"\n```\n'


def _path(folder: str, entry: str) -> str:
    return Path(folder, entry).relative_to(registry.ROOT).as_posix()


def changed(found: Found, name: str) -> list[str]:
    """Return a note when a file shown is not the one that was measured, another when the code that runs it is not."""
    environments = registry.environments()
    campaigns = {(campaign.machine, campaign.name): campaign for campaign in found.results.shown}
    runs = found.results.runs.loc[found.results.runs["workload"] == name, list(MEASURED)].dropna().drop_duplicates()
    titles = collected(
        (coverage.code_since(environments[environment], name, [measured], [proven], campaigns[machine, campaign]),
         environments[environment].title)
        for machine, campaign, environment, measured, proven in runs.itertuples(index=False)
        if environment in environments
    )  # fmt: skip
    return [in_full(text.format(units.count(len({*titles[why]}), "environment")), "changed")
            for why, text in CHANGED.items() if why in titles]  # fmt: skip
