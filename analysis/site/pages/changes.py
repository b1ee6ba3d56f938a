"""Changes: the newest campaigns, with the new results of each and the results that they replace."""

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
    brought = changes.changes(found.results)
    machines_with = {change.campaign.machine for change in brought}
    times = [_began(change.campaign) for change in brought]
    return template.render(
        "changes.html",
        glance=f"{units.count(len(brought), 'campaign')} on {units.count(len(machines_with), 'machine')}, "
        f"from {times[-1]} to {times[0]}." if brought else "",
        rows=[_row(change, found.names[change.campaign.machine]) for change in brought[:NEWEST]],
        changelog=CHANGELOG,
        data=links.data("../", "campaigns.csv"),
    )  # fmt: skip


def _began(campaign: Campaign) -> str:
    return f"{campaign.day}, {campaign.began[11:16]} UTC"  # its pattern is the schema's


def _row(change: Change, short: str) -> tuple[str | Markup, ...]:
    replaced = change.cells - change.shown
    cells = f"{change.cells}, {replaced} of them replaced since" if replaced else str(change.cells)
    new = {"workload": len(change.workloads), "environment": len(change.environments)}  # for the first time there
    counts = units.listing(units.count(number, noun) for noun, number in new.items() if number)
    machine = machines.link(change.campaign.machine, short)
    return _began(change.campaign), machine, cells, counts or "none", _changed(change)


def _changed(change: Change) -> str:
    """Return the effect of a campaign on earlier results of its machine."""
    if change.is_first:
        return "first campaign"
    counts = [
        ("rounds added to {}", change.added, "cell"),
        ("new code, versions or timing in {}", change.afresh, "cell"),
        ("older result kept in {}", sum(change.kept.values()), "cell"),
        ("{}", len(change.versions), "changed version"),
        ("changed code in {}", len(change.code), "environment"),
    ]
    return "; ".join(text.format(units.count(number, noun)) for text, number, noun in counts if number) or "nothing"
