"""Changes: what was published when, campaign by campaign, and what it takes the place of. For readers of results."""

import re
from collections.abc import Mapping, Sequence

from analysis import units
from analysis.compare import changes
from analysis.compare.changes import Change
from analysis.load.campaigns import Campaign
from analysis.site.pages import NOTHING, Found, environment_title, facts, included
from analysis.text import html
from analysis.text.html import Markup
from analysis.units import workload_title

CHANGELOG = "CHANGELOG.md"
LONGEST = 4000  # characters of a list
SHOWN = ("machine", "processor", "GPU", "profile", "ended", "void rounds", "source")  # of a campaign's facts


def page(found: Found) -> str:
    """Return the fragment of the changes page: all at a glance, the campaigns, then the changelog; the newest first."""
    made = changes.changes(found.results)
    if not made:
        return str(NOTHING)
    return "\n".join([html.paragraph(glance(made)), *map(_section, made), versions(included.page(CHANGELOG))])


def glance(made: Sequence[Change]) -> str:
    """Return how many campaigns are published, and what the newest brought."""
    machines = {each.campaign.machine for each in made}
    first, last = _began(made[-1].campaign), _began(made[0].campaign)
    where = f"{units.count(len(made), 'campaign')} on {units.count(len(machines), 'machine')}"
    return f"Shown are {where}, from {first} to {last}. The newest: {_brought(made[0])}"


def versions(changelog: str) -> str:
    """Return the changelog's sections, one for each version of the project, below its title and the words under it."""
    return "".join(re.findall(r"^## .*", changelog, re.DOTALL | re.MULTILINE))


def _began(campaign: Campaign) -> str:
    return f"{campaign.day}, {campaign.began[11:16]} UTC"  # its pattern is the schema's


def _section(change: Change) -> str:
    about = dict(facts(change.campaign))
    rows = [*_changed(change), *((name, about[name]) for name in SHOWN)]
    table = html.table(f"Campaign {change.campaign.bench['campaign']}", ("fact", "value"), rows, "facts")
    return f"## {_began(change.campaign)}\n\n{html.paragraph(_brought(change))}\n{table}"


def _brought(change: Change) -> str:
    """Return in a sentence or two what a campaign brought, and what is left of it."""
    rounds = change.campaign.end["rounds"] if change.campaign.end else None
    ended = units.count(rounds, "round") if rounds is not None else "it was interrupted"
    parts = [f"{units.count(change.cells, 'cell')} with a time on {change.campaign.machine}, {ended}."]
    if change.workloads:
        parts.append(f"New there: {units.count(len(change.workloads), 'workload')}.")
    if change.shown < change.cells:
        parts.append(f"The rounds of {change.shown} of them stand; later campaigns began the rest afresh.")
    return " ".join(parts)


def _changed(change: Change) -> list[tuple[str, Markup]]:
    """Return what changed as rows of a table; what a machine's first campaign cannot have changed is left out."""
    new = change.cells - change.added - change.afresh
    compared = {
        "measured for the first time": [units.count(new, "cell")] if new else [],
        "rounds added": [f"to {units.count(change.added, 'cell')}: measured as before"] if change.added else [],
        "begun afresh": [f"{units.count(change.afresh, 'cell')}: other code, versions or way to measure"]
                        if change.afresh else [],
        "no time this time": [f"{units.count(number, 'cell')}, with an older one that stays: {why}"
                              for why, number in change.kept.items()],
        "versions": [f"{title}: {what} {before} → {now}" for title, what, before, now in change.versions],
        "measured code": [f"{environment_title(change.campaign, name)}: {_workloads(own)}"
                          for name, own in change.code.items()],
    }  # fmt: skip
    rows: Mapping[str, Sequence[str]] = {
        "new workloads": [_workloads(change.workloads)] if change.workloads else [],
        "new environments": change.environments,
        **({} if change.is_first else compared),
    }
    return [(name, _lines(lines)) for name, lines in rows.items()]


def _workloads(names: Sequence[str]) -> str:
    return units.listing(workload_title(name) for name in names)


def _lines(lines: Sequence[str]) -> Markup:
    return html.join([html.safe(line, LONGEST) for line in lines or ["none"]], "<br>")
