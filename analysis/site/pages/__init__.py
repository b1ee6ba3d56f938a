"""The generated pages: each module turns what was found into Markdown with HTML tables; build.py writes them."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.compare.unpaired import Compared
from analysis.controls import Control
from analysis.estimate.estimates import (
    Estimates,
    first_questions,
    in_default_mode,
    of_workload,
    usual_threads,
    with_usual_threads,
)
from analysis.figures.style import Saved
from analysis.lessons import Lesson
from analysis.load.campaigns import Campaign
from analysis.load.table import Results
from analysis.stats import Row
from analysis.text import machines as machine_names
from analysis.text import widths
from analysis.text.html import Markup, element, image, join, link, paragraph, safe, table
from bench import disturbance
from bench.cases import STEPS, TASKS

PROFILES = {
    "smoke": "proves that the code runs, and says nothing about speed",
    "quick": "few rounds",
    "full": "many rounds",
}

NARROW = 480  # CSS pixels: a telephone shows such a figure as wide as its screen
UNSEARCHED = " { data-search-exclude }"  # a heading that each page of a kind has: what one looks for is the page


class Found(NamedTuple):
    """All that the pages are made of."""

    results: Results
    answers: Sequence[Estimates]
    defaults: Sequence[Estimates]  # the same questions among default modes of today's versions only
    lessons: Sequence[Lesson]
    matrix: Sequence[Mapping[str, Any]]  # rows of bench.proof.matrix
    pictures: Mapping[tuple[str, str, str], Saved | str]  # render.Key -> file, or why there is none
    controls: Mapping[str, Mapping[str, Control]] = {}  # by machine and control
    compared: Compared = Compared()  # sets of results that share no rounds
    changed: Sequence[Estimates] = ()  # what the ablations answer, which only the lessons and the Results table show

    @property
    def has_several(self) -> bool:
        """Say whether there is more than one machine, so that headings tell them apart."""
        return len(self.results.machines) > 1

    @property
    def names(self) -> dict[str, str]:
        """Return each machine's short name: GPUs first, each kind in the order in which they were first measured."""
        first: dict[str, Campaign] = {}
        for each in sorted(self.results.shown, key=lambda each: each.name):
            first.setdefault(each.machine, each)
        order = sorted(first, key=lambda name: (not first[name].bench["machine"]["gpu"], first[name].name))
        return machine_names.short_names({name: first[name].bench["machine"] for name in order})

    def first(self, machine: str, with_old: bool = False) -> list[Estimates]:
        """Return each workload's first question among default modes on one machine, of today's versions or of all."""
        if with_old:
            own = [each for each in self.answers if each.question.machine == machine and each.question.task in STEPS]
            return first_questions([in_default_mode(each) for each in own])
        return first_questions([each for each in self.defaults if each.question.machine == machine])

    def usual_threads(self, machine: str) -> int:
        """Return the number of threads that most of a machine's questions were answered with."""
        return usual_threads([each for each in self.answers if each.question.machine == machine])

    def campaigns(self, machine: str) -> list[Campaign]:
        """Return a machine's campaigns that are concluded from, oldest first."""
        return [each for each in self.results.shown if each.machine == machine]

    def of(self, machine: str, workload: str) -> list[Estimates]:
        """Return the answers to a workload's questions on one machine, in the workload's own order."""
        own = [each for each in of_workload(self.answers, workload) if each.question.machine == machine]
        return sorted(own, key=lambda each: (TASKS.index(each.question.task), each.question.place, each.question))


def competitor(title: str, row: Row, is_default: bool = False) -> Markup:
    """Return an environment's title with its mode below."""
    note = f"{row[1]}, default" if is_default else row[1]
    return join([safe(title, 80), element("small", safe(note, 80))])


def with_bounds(value: str, bounds: str) -> Markup:
    """Return a value with its interval below."""
    return join([value, element("small", bounds)])


def in_full(text: str, kind: str = "finding") -> Markup:
    """Return all of a text as a paragraph, however long it is."""
    return paragraph(safe(text, len(text)), kind)


def figure(found: Found, name: str, about: str, machine: str, root: str) -> Markup:
    """Return a workload's or article's image with links to its files, or why there is none; `root` leads to the top."""
    saved = found.pictures[name, about, machine]
    if isinstance(saved, str):
        return paragraph(f"Not drawn: {saved}.", "missing")
    base = f"{root}generated/figures/{saved.name}"
    files = join([link(f"{base}.svg", "SVG"), " · ", link(f"{base}.csv", "CSV")])
    drawn = image(f"{base}.svg", saved.alt, saved.size)
    framed = f'<div class="frame" role="region" tabindex="0" aria-label="Figure">{drawn}</div>'
    kind = ' class="narrow"' if saved.size[0] <= NARROW else ""
    return Markup(f"<figure{kind}>{framed}<figcaption>{files}</figcaption></figure>\n")


def facts(campaign: Campaign) -> list[tuple[str, str]]:
    """Return what a reader must know about a campaign before its numbers."""
    bench, machine = campaign.bench, campaign.bench["machine"]
    edited = ", with changes that are not committed" if bench["is_dirty"] else ""
    return [
        ("machine", machine["name"]),
        ("processor", f"{machine['cpu']}, {bench['threads']} of {machine['logical_cpus']} CPUs used"),
        ("instructions", machine.get("instructions") or "not recorded"),
        ("memory", f"{machine['memory_bytes'] / 2**30:.0f} GiB"),
        ("GPU", f"{machine['gpu']}, driver {machine['gpu_driver']}" if machine["gpu"] else "none"),
        ("system", machine["system"]),
        ("measured", f"{bench['started'][:10]}, campaign {bench['campaign']}"),
        ("profile", f"{bench['profile']}: {PROFILES[bench['profile']]}"),
        ("ended", campaign.end["reason"] if campaign.end else "interrupted"),
        ("machine state", sampled(campaign)),
        ("void rounds", void_rounds(campaign)),
        ("source", f"{(bench['revision'] or 'unknown')[:12]}{edited}"),
    ]


def installed(found: Found, machine: str) -> dict[str, Campaign]:
    """Return the newest campaign of a machine that had each environment, by the environment's name."""
    newest = {name: each for each in found.campaigns(machine) for name in each.environments}
    return dict(sorted(newest.items(), key=lambda item: item[0]))


def sampled(campaign: Campaign) -> str:
    """Return what could be sampled of the machine's state, and what not."""
    return str(campaign.bench.get("telemetry", "not sampled: the campaign is older than the sampler"))


def void_rounds(campaign: Campaign) -> str:
    """Return how many rounds were void, or why none could be."""
    if not campaign.outcomes.states:
        return "not judged"
    return disturbance.told(list(campaign.voids)) or "none"


def about(found: Found, machine: str, caption: str) -> Markup:
    """Return a table of what a machine is, by its newest campaign, and how narrow its intervals became."""
    rows = [*facts(found.results.campaigns[machine]), *reached(found, machine)]
    return table(caption, ("fact", "value"), rows, "facts")


def reached(found: Found, machine: str) -> list[tuple[str, str]]:
    """Return how narrow the intervals of a machine's ratios became, in default modes with the usual threads."""
    own = with_usual_threads([each for each in found.defaults if each.question.machine == machine])
    return [("precision in default modes", widths.precision(pair for each in own for pair in each.pairs))]


NOTHING = paragraph(
    "Nothing has been measured yet. nox -s bench measures this machine, nox -s docs shows it here.", "missing"
)
