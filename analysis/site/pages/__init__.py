"""The generated pages: each module turns results into Markdown with HTML tables, and build.py writes them."""

import shlex
from collections.abc import Iterable, Sequence

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Question
from analysis.figures.style import Saved
from analysis.found import Found
from analysis.groups import collected
from analysis.load.campaigns import Campaign
from analysis.text.html import Markup, element, image, join, link, paragraph, safe
from bench import registry
from bench.cases import EPOCHS, read_data
from bench.proof.parity import FULL

NARROW = 480  # CSS pixels: a telephone shows such a figure as wide as its screen


def with_bounds(value: str, bounds: str) -> Markup:
    """Return a value with its interval below."""
    return join([value, element("small", bounds)])


def plain(texts: Iterable[str]) -> Markup:
    """Return texts in one line without shortening them."""
    return join([safe(text, len(text)) for text in texts], " ")


def in_full(text: str, kind: str) -> Markup:
    """Return a text as a paragraph without shortening it."""
    return paragraph(plain([text]), kind)


def figures(found: Found, page: str, root: str) -> Markup:
    """Return the images of a page of analysis/figures, with links to their files; `root` leads to the top."""
    return join([_figure(saved, f"{root}generated/figures/{saved.name}") for saved in found.pictures.get(page, ())])


def _figure(saved: Saved, base: str) -> Markup:
    files = join([link(f"{base}.svg", "SVG"), " · ", link(f"{base}.csv", "CSV")])
    drawn = image(f"{base}.svg", saved.alt, saved.size)
    framed = f'<div class="frame" role="region" tabindex="0" aria-label="Figure">{drawn}</div>'
    kind = ' class="narrow"' if saved.size[0] <= NARROW else ""
    return Markup(f"<figure{kind}>{framed}<figcaption>{files}</figcaption></figure>\n")


def newer_releases(found: Found, measured: Iterable[tuple[str, str]]) -> str:
    """Return the newer releases of packages in (machine, environment) pairs."""
    new = {f"{release.package} {release.version}" for pair in measured for release in found.newer(*pair)}
    return units.listing(sorted(new))


def held_back(found: Found, measured: Iterable[tuple[str, str]]) -> str:
    """Return the newer releases, those that are held back with the reason."""
    new = sorted({release for pair in measured for release in found.newer(*pair)})
    reasons = collected((release.held_back, f"{release.package} {release.version}") for release in new)
    parts = (f"{units.listing(names)} ({reason})" if reason else units.listing(names)
             for reason, names in sorted(reasons.items()))  # fmt: skip
    return "; ".join(parts)


def factors(ratios: Sequence[float]) -> str:
    """Return the least and the largest of some ratios."""
    return f"{units.factor(min(ratios))} to {units.factor(max(ratios))}"


def measured_again(campaign: Campaign, question: Question, cell: Cell) -> str:
    """Return the command that measures one competitor of a question again, as its newest campaign did.

    Options that say what is the default on that machine are left out.
    """
    bench, (environment, mode) = campaign.bench, cell.row
    recorded = registry.environments().get(environment)
    has_choice = bool(bench.machine.gpu)  # of a device, and of its precision
    session = f"era({environment})" if recorded and not recorded.is_default else "bench"
    data = read_data(question.data) if question.task in EPOCHS else None
    options = {
        "workload": question.workload,
        "task": question.task,
        "batch-size": question.batch_size,
        "optimizer": None if question.optimizer == "none" else question.optimizer,
        "precision": question.precision if has_choice or question.precision != FULL else None,
        "data": data and ("stand-in" if data.is_stand_in else "real"),
        "examples": data and data.examples,
        "device": question.device if has_choice else None,
        "threads": question.threads,
        "profile": None if bench.profile == "quick" else bench.profile,
        "rounds": cell.rounds,
        "budget": bench.budget_s and f"{bench.budget_s:.0f}s",
        "environment": environment,
        "mode": mode,
    }
    words = [word for name, value in options.items() if value for word in (f"--{name}", str(value))]
    return shlex.join(["nox", "-s", session, "--", *words])


NOTHING = paragraph(
    "Nothing has been measured yet. nox -s bench measures this machine, nox -s docs shows it here.", "missing"
)
