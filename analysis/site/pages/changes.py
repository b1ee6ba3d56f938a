"""Changes: the newest campaigns, with what each brought and what it takes the place of. For readers of results."""

from collections.abc import Sequence

from analysis import units
from analysis.compare import changes
from analysis.compare.changes import Change
from analysis.found import Found
from analysis.load.campaigns import Campaign
from analysis.site import links, template
from analysis.site.pages import machines
from analysis.text.html import Markup

NEWEST = 10  # campaigns that the page shows; all are in campaigns.csv
CHANGELOG = "CHANGELOG.md"


def page(found: Found) -> str:
    """Return the fragment of the changes page: how much is published, then the newest campaigns."""
    made = changes.changes(found.results)
    names = found.names
    return template.render(
        "changes.html",
        glance=glance(made) if made else "",
        rows=[_row(each, names[each.campaign.machine]) for each in made[:NEWEST]],
        changelog=CHANGELOG,
        data=links.data("../", "campaigns.csv"),
    )


def glance(made: Sequence[Change]) -> str:
    """Return how many campaigns are published, and from when to when."""
    where = units.count(len({each.campaign.machine for each in made}), "machine")
    first, last = (_began(each.campaign) for each in (made[-1], made[0]))
    return f"{units.count(len(made), 'campaign')} on {where}, from {first} to {last}."


def _began(campaign: Campaign) -> str:
    return f"{campaign.day}, {campaign.began[11:16]} UTC"  # its pattern is the schema's


def _row(change: Change, short: str) -> tuple[str | Markup, ...]:
    replaced = change.cells - change.shown
    cells = f"{change.cells}, {replaced} of them replaced since" if replaced else str(change.cells)
    machine = machines.link(change.campaign.machine, short)
    return _began(change.campaign), machine, cells, _new(change), _changed(change)


def _new(change: Change) -> str:
    """Return what a campaign measured for the first time on its machine."""
    known = {"workload": len(change.workloads), "environment": len(change.environments)}
    return units.listing(units.count(number, noun) for noun, number in known.items() if number) or "none"


def _changed(change: Change) -> str:
    """Return what a campaign did to earlier results; of a machine's first, nothing."""
    if change.is_first:
        return "first campaign"
    known = {
        "rounds added to {}": change.added, "new code, versions or timing in {}": change.afresh,
        "older result kept in {}": sum(change.kept.values()),
    }  # fmt: skip
    cells = (text.format(units.count(number, "cell")) for text, number in known.items() if number)
    versions = [units.count(len(change.versions), "changed version")] if change.versions else []
    code = [f"changed code in {units.count(len(change.code), 'environment')}"] if change.code else []
    return "; ".join([*cells, *versions, *code]) or "nothing"
