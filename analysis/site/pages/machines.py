"""The machines: an index, and a page for each: what it is, its ceilings, its campaigns, its state, how it compares.

A machine's name comes from its results: it stands in cells and sentences only. Headings call it by a number, that of
its name in alphabetical order; its page and the files of its figures by a hash, which no other machine changes.
"""

from collections.abc import Sequence
from typing import Any

from analysis import units
from analysis.compare.unpaired import MACHINES
from analysis.load.campaigns import Campaign
from analysis.site.pages import (
    NOTHING,
    UNSEARCHED,
    Found,
    about,
    compare,
    facts,
    installed,
    machine_gives,
    machine_state,
    void_rounds,
)
from analysis.text import html
from bench import registry

ROOT = "../../../"  # from generated/machines/<slug>/ to the site's top
INDEX = ("", "machine", "processor", "memory", "GPU", "campaigns", "first and last begun", "workloads with a time")
CAMPAIGNS = ("campaign", "begun", "profile", "rounds", "void rounds", "workloads", "environments", "runs with a time",
             "ended")  # fmt: skip
ALONE = "No other machine is published, so there is none to compare this one with. More are welcome: "
APART = "No other machine has a time for a case that this one measured."


def page(found: Found) -> str:
    """Return the fragment of the machines' index."""
    names = found.results.machines
    if not names:
        return str(NOTHING)
    campaigns = units.count(len(found.results.shown), "campaign")
    finding = f"{units.count(len(names), 'machine')} and {campaigns} stand behind the numbers of this site."
    rows = [_listed(found, name, number) for number, name in enumerate(names, 1)]
    return f"{html.paragraph(finding)}\n{html.table('Machines', INDEX, rows, 'facts')}"


def _listed(found: Found, name: str, number: int) -> list[str]:
    known = dict(facts(found.results.campaigns[name]))
    own = found.campaigns(name)
    days = units.listing(sorted({own[0].day, own[-1].day}))
    told = [known[fact] for fact in ("machine", "processor", "memory", "GPU")]
    return [link(name, number), *told, str(len(own)), days, str(len(_workloads(found, name)))]


def link(machine: str, number: int, root: str = "../") -> html.Markup:
    """Return a link to a machine's page; `root` leads to the site's top."""
    return html.link(f"{root}generated/machines/{html.slug(machine)}/", f"Machine {number}")


def pages(found: Found) -> dict[str, str]:
    """Return each machine's page by the name of its file."""
    return {html.slug(name): _page(found, name, number) for number, name in enumerate(found.results.machines, 1)}


def _page(found: Found, machine: str, number: int) -> str:
    own = found.campaigns(machine)
    parts = [
        f"# Machine {number}\n",
        html.paragraph(_sentence(found, machine)),
        "One of [the machines](../../machines.md) behind the numbers of this site.\n",
        f"## What it is{UNSEARCHED}\n",
        html.paragraph(_kind(found.results.campaigns[machine])),
        about(found, machine, "The machine, by its newest campaign"),
        f"## The most that it gives{UNSEARCHED}\n",
        *machine_gives.ceilings(own),
        *machine_gives.computed(own),
        f"## What it measured{UNSEARCHED}\n",
        *_campaigns(found, machine),
        f"## What state it was in{UNSEARCHED}\n",
        *machine_state.states(own),
        f"## How it compares{UNSEARCHED}\n",
        *_beside(found, machine),
        f"## What was loaded on it{UNSEARCHED}\n",
        *_environments(found, machine),
    ]
    return "\n".join(parts)


def _workloads(found: Found, machine: str) -> set[str]:
    """Return the workloads of which a machine has a time."""
    own = (each for each in found.answers if each.question.machine == machine and each.measured)
    return {each.question.workload for each in own}


def _sentence(found: Found, machine: str) -> str:
    own, known = found.campaigns(machine), dict(facts(found.results.campaigns[machine]))
    gpu = "no GPU" if known["GPU"] == "none" else known["GPU"]
    workloads = units.count(len(registry.workload_names()), "workload")
    return (
        f"{known['machine']}: {known['processor']}, {gpu}. {units.count(len(own), 'campaign')}, the newest begun "
        f"{own[-1].day}, gave times for {len(_workloads(found, machine))} of {workloads}."
    )


def _kind(campaign: Campaign) -> str:
    known = dict(facts(campaign))
    return f"It has {known['memory']} of memory and runs {known['system']}; this is what its newest campaign recorded."


def _campaigns(found: Found, machine: str) -> list[html.Markup]:
    """Return every campaign of the machine, those that nothing is concluded from last."""
    own = found.campaigns(machine)
    others = [each for each in found.results.left_out if each.machine == machine]
    stayed_out = f", and {units.count(len(others), 'other')} stayed out" if others else ""
    told = f"Numbers come from {units.count(len(own), 'campaign')}{stayed_out}. {_voids(own)}"
    rows = [*(_campaign(each, True) for each in reversed(own)), *(_campaign(each, False) for each in reversed(others))]
    return [html.paragraph(told), html.table("Campaigns, the newest first", CAMPAIGNS, rows, "facts")]


def _voids(campaigns: Sequence[Campaign]) -> str:
    """Say how many rounds were disturbed, where that could be told."""
    judged = [each for each in campaigns if each.outcomes.states]
    if not judged:
        return "The machine's state was not sampled, so no round could be judged void."
    void = sum(line["kept"] is None for each in judged for line in each.voids)
    return (
        f"In {units.count(len(judged), 'campaign')} whose rounds were watched, {units.count(void, 'round')} "
        f"{'was' if void == 1 else 'were'} void and repeated."
    )


def _campaign(campaign: Campaign, is_shown: bool) -> list[html.Cell]:
    outcomes = campaign.outcomes
    measured = [each.case for each in outcomes.cases if each.rounds]
    rounds = campaign.end["rounds"] if campaign.end else outcomes.last_round
    ended = str(campaign.end["reason"]) if campaign.end else "interrupted"
    return [
        campaign.name,
        campaign.began[:16].replace("T", " "),
        str(campaign.bench["profile"]),
        str(rounds),
        void_rounds(campaign),
        str(len({case.workload for case in measured})),
        str(len({case.environment for case in measured})),
        f"{outcomes.measured:,} of {len(campaign.runs):,}",
        ended if is_shown else f"not concluded from: {ended}, profile {campaign.bench['profile']}",
    ]


def _beside(found: Found, machine: str) -> list[html.Markup]:
    """Return the machine beside each other one that measured what it did."""
    if not found.has_several:
        return [html.paragraph(html.join([ALONE, html.link(f"{ROOT}contributing/", "how to add one"), "."]), "missing")]
    own = [each for each in found.compared.of(MACHINES) if machine in (each.first.machine, each.second.machine)]
    parts = [part for each in own for part in compare.told(each, ROOT)]
    return parts or [html.paragraph(APART, "missing")]


def _environments(found: Found, machine: str) -> list[str]:
    environments = [campaign.environments[name] for name, campaign in installed(found, machine).items()]
    rows = [
        (each["title"], each["python"], each["device"], _versions(each["loaded"]), _versions(each["variables"]))
        for each in environments
    ]
    devices = units.listing(sorted({str(each["device"]).upper() for each in environments}))
    finding = f"{units.count(len(rows), 'environment')} computed on its {devices}, each in an installation of its own."
    header = ("environment", "Python", "device", "loaded", "variables set")
    caption = "Environments, each with the versions that it really loaded in its newest campaign"
    table = html.table(caption, header, rows, "versions")
    return [html.paragraph(finding), table, *(_packages(each) for each in environments)]


def _versions(values: dict[str, Any]) -> html.Markup:
    lines = [
        html.join([name, " ", html.element("b", str(value))])
        for name, value in sorted(values.items())
        if value is not None
    ]
    return html.Markup("<br>".join(lines))


def _packages(environment: dict[str, Any]) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in sorted(environment["packages"].items()))
    libraries = ", ".join(environment["libraries"])
    summary = html.element("summary", f"Everything installed in {environment['title']}")
    lists = html.join(
        [
            html.element("p", html.safe(f"Packages: {packages}", 8000)),
            html.element("p", html.safe(f"Libraries: {libraries}", 8000)),
        ]
    )
    return f'<details class="packages" data-search-exclude>{summary}{lists}</details>\n'
