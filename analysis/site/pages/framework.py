"""One page per framework: where it leads and lags, its versions, defaults, adapter, pins, and what it does not answer.

A framework is a folder of bench/frameworks; what results say of it is found by the framework that they record.
"""

import os
from collections.abc import Iterator, Sequence

from analysis import units
from analysis.compare.unpaired import VERSIONS, Set, SetComparison
from analysis.figures import over_time
from analysis.figures.style import Saved
from analysis.plugins import explained
from analysis.site.pages import (
    NOTHING,
    UNSEARCHED,
    Found,
    code,
    compare,
    explorer_data,
    figure,
    framework_ranks,
)
from analysis.site.pages.explorer_data import Frameworks, workload_link
from analysis.site.pages.framework_ranks import ROOT
from analysis.text import html
from analysis.text.frameworks import framework_title, matters, stated
from analysis.text.html import Markup
from bench import registry
from bench.registry import Environment, Mode

PINS = ("environment", "Python", "modes", "pins on any device", "besides on a CPU", "besides on a GPU", "variables set")
ONE_VERSION = (
    "Each of its environments was measured in one version on a machine, so nothing is known of how a new version "
    "changes its times."
)
SETS = ("version", "questions in its default mode", "campaigns", "measured")


def index(found: Found) -> str:
    """Return the page that lists the frameworks, and how each environment does."""
    names = registry.framework_names()
    parts = [
        "# Frameworks\n",
        f"Each framework is one folder of code, and runs in one or more environments: {_links(names)}.\n",
        *(framework_ranks.index(found, machine, number) for number, machine in enumerate(found.results.machines, 1)),
        *([] if found.results.machines else [str(NOTHING)]),
    ]
    return "\n".join(parts)


def _links(names: Sequence[str]) -> str:
    return units.listing(f"[{title(name)}]({name}.md)" for name in names)


def title(name: str) -> str:
    """Return what a framework is called: by its folder's environments, as on all pages."""
    return framework_title(_environments(name))


def _environments(name: str) -> list[Environment]:
    return [each for each in registry.environments().values() if each.framework == name]


def page(found: Found, name: str) -> str:
    """Return one framework's page."""
    machines, known = found.results.machines, explorer_data.frameworks(found.results)
    parts = [
        f"# {title(name)}\n",
        html.paragraph(_sentence(name)),
        f"## Where it leads and lags{UNSEARCHED}\n",
        *(framework_ranks.section(found, name, machine, number) for number, machine in enumerate(machines, 1)),
        *([] if machines else [str(NOTHING)]),
        f"## Its versions over time{UNSEARCHED}\n",
        *_over_time(found, name, known),
        f"## What has to be written out{UNSEARCHED}\n",
        *_written_out(name),
        f"## Its adapter {{ #{code.ADAPTER} data-search-exclude }}\n",
        *_adapter(name),
        f"## Its environments{UNSEARCHED}\n",
        *_pins(name),
        f"## What it does not answer{UNSEARCHED}\n",
        *_unanswered(found, name, known),
    ]
    return "\n".join(parts)


def _sentence(name: str) -> str:
    environments = units.count(len(_environments(name)), "environment")
    known = units.count(len(registry.workload_names()), "workload")
    return f"{environments}; the folder answers {len(_answered(name))} of {known}."


def _adapter(name: str) -> Iterator[str]:
    yield "What trains, times and proves each of its workloads; a workload's page shows the model file beside it.\n"
    for path in code.shared(_environments(name)[0].folder):
        yield code.collapsed(os.path.basename(path), path)


def _answered(name: str) -> list[str]:
    return registry.answered(_environments(name)[0])


def _over_time(found: Found, name: str, known: Frameworks) -> list[str]:
    """Return the versions that were measured, and what changed from one to the next of an environment."""
    own = [each for each in found.compared.sets.get(VERSIONS, ()) if known.get(_who(each)) == name]
    if not own:
        return [html.paragraph("No version of it has a time yet.", "missing")]
    rows = [(html.safe(each.title, 160), str(len(each.cells)), str(len(each.campaigns)), units.listing(each.days))
            for each in own]  # fmt: skip
    table = html.table("Versions measured, in the default mode, the newest first", SETS, rows, "facts")
    changes = [each for each in found.compared.of(VERSIONS) if _is_change(each) and known.get(_who(each.first)) == name]
    if not changes:
        return [html.paragraph(ONE_VERSION), *_drawn(found, name), table]
    parts = [part for each in changes for part in compare.told(each, ROOT)]
    link = html.link(f"{ROOT}compare/", "what such a comparison can say")
    told = html.paragraph(html.join(["Versions of different campaigns share no rounds: ", link, "."]))
    return [told, *_drawn(found, name), *parts, table]


def _drawn(found: Found, name: str) -> list[str]:
    """Return the figure of each machine that has one: of its campaigns, below what it shows."""
    own = {machine: found.pictures.get((over_time.NAME, name, machine)) for machine in found.results.machines}
    parts = [
        part
        for machine, saved in own.items()
        if isinstance(saved, Saved)
        for part in (_moved(machine, saved), figure(found, over_time.NAME, name, machine, ROOT))
    ]
    return [*parts, f"{explained(over_time.__doc__)}\n"] if parts else []


def _moved(machine: str, saved: Saved) -> Markup:
    return html.paragraph(html.whole(f"{machine}: {units.opening(saved.alt)}", html.REASON_LENGTH))


def _who(own: Set) -> tuple[str, str]:
    """Return the machine and the environment of a version."""
    return own.machine, next(iter(own.cells.values())).case.environment


def _is_change(comparison: SetComparison) -> bool:
    """Say whether two versions are of one environment."""
    return _who(comparison.first) == _who(comparison.second)


def _written_out(name: str) -> list[str]:
    """Return the framework's defaults that others do not share, with how many of its workloads each touches."""
    differs = _environments(name)[0].differs
    if not differs:
        return [html.paragraph("Its folder states no default that a reader must know.", "missing")]
    answered = _answered(name)
    touched = {key: sum(matters(key, each) for each in answered) for key in stated() if key in differs}
    everywhere = sum(count == len(answered) for count in touched.values())
    finding = (
        f"A reader must know {units.count(len(touched), 'default')} of it that other frameworks need not share; "
        f"{everywhere} of them matter{'s' * (everywhere == 1)} to every workload that it answers."
    )
    rows = [(key.replace("_", " "), differs[key], f"{count} of {len(answered)}") for key, count in touched.items()]
    link = html.link(f"{ROOT}rosetta/", "beside those of the other frameworks")
    return [
        html.paragraph(finding),
        html.table("Its defaults", ("", "as it comes", "workloads that it matters to"), rows, "differs"),
        html.paragraph(html.join(["Where defaults are not the same, a model file writes a number out: ", link, "."]),
                       "source"),
    ]  # fmt: skip


def _pins(name: str) -> list[str]:
    """Return what each environment is made of, as the folder states it."""
    own = _environments(name)
    pinned = sum(len(each.packages) + len(each.cpu) + len(each.gpu) for each in own)
    finding = (
        f"{units.count(len(own), 'isolated installation')}, with {units.count(pinned, 'pin')} in all; each names the "
        "mode that its guide documents first."
    )
    return [html.paragraph(finding), html.table("What is installed", PINS, map(_pinned, own), "versions")]


def _pinned(environment: Environment) -> list[str]:
    modes = [f"{mode.name}, {_how(mode)}" for mode in environment.modes]
    variables = [f"{name} = {value}" for name, value in environment.variables.items()]
    named = html.join([environment.title, html.element("small", environment.name)])
    lists = (environment.packages, environment.cpu, environment.gpu, variables)
    return [named, units.listing(environment.python), _lines(modes), *map(_lines, lists)]


def _how(mode: Mode) -> str:
    own = " in its own training loop" if mode.own_loop else ""
    return f"{'compiles' if mode.compiles else 'does not compile'}{own}"


def _lines(texts: Sequence[str]) -> Markup:
    return html.join(map(html.safe, texts), "<br>") if texts else html.safe(units.NONE)


def _unanswered(found: Found, name: str, known: Frameworks) -> list[str]:
    """Return the workloads that the folder has no model file for, and those that have none of its times, with why."""
    answered = _answered(name)
    absent = [each for each in registry.workload_names() if each not in answered]
    untimed = [(each, why) for each in answered if (why := _why(found, name, each, known))]
    if not absent and not untimed:
        return [html.paragraph("It answers every workload, and has a time for each.")]
    without = f"It has no model file for {units.count(len(absent), 'workload')}"
    finding = without if absent else "It answers every workload"
    more = f"; {len(untimed)} that it answers gave no time." if untimed else "."
    stated = next(each.unanswered for each in registry.environments().values() if each.framework == name)
    rows = [
        *(
            (workload_link(each, ROOT), stated.get(each, f"no model file: bench/frameworks/{name}/{each}.py"))
            for each in absent
        ),
        *((workload_link(each, ROOT), why) for each, why in untimed),
    ]
    return [
        html.paragraph(f"{finding}{more}"),
        html.table("Workloads without a time", ("workload", "why"), rows, "facts"),
    ]


def _why(found: Found, name: str, workload: str, known: Frameworks) -> str | None:
    """Return why no environment of a framework has a time for a workload; None where one has."""
    own = [
        cell
        for answer in found.answers
        if answer.question.workload == workload
        for cell in answer.cells
        if known.get((answer.question.machine, cell.row[0])) == name
    ]
    if any(cell.time for cell in own):
        return None
    return units.listing(sorted({cell.reason or cell.status for cell in own})) or "no published campaign asked for it"
