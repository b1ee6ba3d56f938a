"""The machines: an index, and a page for each: what it is, its ceilings, its campaigns, its state, how it compares.

A machine's name comes from its results: it stands in cells and sentences only. Headings call it by a number, that of
its name in alphabetical order; its page and the files of its figures by a hash, which no other machine changes.
"""

from collections.abc import Sequence
from typing import Any

from analysis import units
from analysis.compare.unpaired import MACHINES, SetComparison
from analysis.estimate.estimates import Estimates
from analysis.load.campaigns import Campaign
from analysis.site.pages import NOTHING, Found, compare, facts, installed, reached, sampled, void_rounds
from analysis.text import html
from bench import registry

ROOT = "../../../"  # from generated/machines/<slug>/ to the site's top
STATE = (
    "campaign", "cores busy", "others' share of them", "frequency", "load", "swap in use", "memory left", "GPU",
    "void rounds",
)  # fmt: skip
INDEX = ("", "machine", "processor", "memory", "GPU", "campaigns", "first and last begun", "workloads with a time")
CEILINGS = ("device and precision", "environment", "GFLOP/s in a large matrix product",
            "GB/s read and written in a large array", "share of the best product")  # fmt: skip
ANSWERS = ("workload", "asked", "environment and mode", "device and precision", "campaign", "largest relative errors",
           "verdict")  # fmt: skip
CAMPAIGNS = ("campaign", "begun", "profile", "rounds", "void rounds", "workloads", "environments", "runs with a time",
             "ended")  # fmt: skip
ALONE = "No other machine is published, so there is none to compare this one with. More are welcome: "
APART = "No other machine has a time for a case that this one measured."

Summary = dict[str, Any]  # the part of a run's `machine_state` about one device


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
    about = dict(facts(found.results.campaigns[name]))
    own = _shown(found, name)
    link = html.link(f"../generated/machines/{html.slug(name)}/", f"Machine {number}")
    days = units.listing(sorted({own[0].day, own[-1].day}))
    told = [about[fact] for fact in ("machine", "processor", "memory", "GPU")]
    return [link, *told, str(len(own)), days, str(len(_workloads(found, name)))]


def pages(found: Found) -> dict[str, str]:
    """Return each machine's page by the name of its file."""
    return {html.slug(name): _page(found, name, number) for number, name in enumerate(found.results.machines, 1)}


def _page(found: Found, machine: str, number: int) -> str:
    campaign = found.results.campaigns[machine]
    parts = [
        f"# Machine {number}\n",
        html.paragraph(_sentence(found, machine)),
        "One of [the machines](../../machines.md) behind the numbers of this site.\n",
        "## What it is\n",
        html.paragraph(_kind(campaign)),
        html.table("The machine, by its newest campaign", ("fact", "value"),
                   [*facts(campaign), *reached(found, machine)], "facts"),
        "## The most that it gives\n",
        *_ceilings(found, machine),
        *_computed(found, machine),
        "## What it measured\n",
        *_campaigns(found, machine),
        "## What state it was in\n",
        html.paragraph(_busy(found, machine)),
        html.table("The machine's state while it measured: the range over runs", STATE,
                   map(_state, _shown(found, machine)), "states"),
        "## How it compares\n",
        *_beside(found, machine),
        "## What was loaded on it\n",
        *_environments(found, machine),
    ]  # fmt: skip
    return "\n".join(parts)


def _shown(found: Found, machine: str) -> list[Campaign]:
    """Return a machine's campaigns that are concluded from, oldest first."""
    return [each for each in found.results.shown if each.machine == machine]


def _answers(found: Found, machine: str) -> list[Estimates]:
    return [each for each in found.answers if each.question.machine == machine and each.measured]


def _workloads(found: Found, machine: str) -> set[str]:
    return {each.question.workload for each in _answers(found, machine)}


def _sentence(found: Found, machine: str) -> str:
    own, about = _shown(found, machine), dict(facts(found.results.campaigns[machine]))
    gpu = "no GPU" if about["GPU"] == "none" else about["GPU"]
    known = units.count(len(registry.workload_names()), "workload")
    return (
        f"{about['machine']}: {about['processor']}, {gpu}. {units.count(len(own), 'campaign')}, the newest begun "
        f"{own[-1].day}, gave times for {len(_workloads(found, machine))} of {known}."
    )


def _kind(campaign: Campaign) -> str:
    about = dict(facts(campaign))
    return f"It has {about['memory']} of memory and runs {about['system']}; this is what its newest campaign recorded."


def _busy(found: Found, machine: str) -> str:
    """Return how busy the machine was over all its campaigns, and with what else."""
    known = [each["cpu"] for own in _shown(found, machine) for each in own.outcomes.states if each["cpu"]]
    busy, others = _values(known, "utilisation"), _values(known, "others_share")
    if not busy:
        return "How busy it was could not be sampled."
    most = f"at most {units.share(max(others))} of them" if others else "an unknown share"
    return f"Its runs kept their cores {_range(busy, '%', 0.01)} busy; {most} went to other processes."


def _ceilings(found: Found, machine: str) -> list[html.Markup]:
    """Return what each environment got out of the machine at most, by the newest campaign that measured it."""
    measured = [each for each in _shown(found, machine) if each.ceilings]
    if not measured:
        sentence = "Not measured: its campaigns are older than that measurement, so shares of this machine are unknown."
        return [html.paragraph(sentence, "missing")]
    newest = measured[-1]
    best = [
        f"{units.digits(ceiling.flops_s / 1e9)} GFLOP/s in {precision} on the {device.upper()} "
        f"({units.digits(ceiling.bytes_s / 1e9)} GB/s in a copy)"
        for (device, precision), ceiling in sorted(newest.context.ceilings.items())
    ]
    told = f"The best environment reached {units.listing(best)}." if best else "No environment could time it."
    finding = f"{told} Shares of a matrix product on this site are shares of that, campaign by campaign."
    ordered = sorted(newest.ceilings, key=lambda line: (line["device"], line["precision"], -_flops_s(line)))
    caption = f"What each environment reached, the fastest of five blocks; campaign {newest.bench['campaign']}"
    return [
        html.paragraph(finding),
        html.table(caption, CEILINGS, [_ceiling(newest, line) for line in ordered], "facts"),
    ]


def _computed(found: Found, machine: str) -> list[Any]:
    """Return what was answered on its devices, and in other precisions than float32, by the newest campaign each."""
    newest = {_asked(line): (campaign, line) for campaign in _shown(found, machine) for line in campaign.answers}
    if not newest:
        return []
    right = sum(line["status"] == "ok" for _, line in newest.values())
    told = (
        f"{right} of {units.count(len(newest), 'program')} computed on its device, or in another precision than "
        "float32, what they have proven on the CPU in float32; the rest gave no time."
    )
    rows = [_answer(*newest[key]) for key in sorted(newest)]
    caption = "Each program's answer beside its own proven one"
    return ["## What it computes, beside what was proven\n", html.paragraph(told),
            html.table(caption, ANSWERS, rows, "facts")]  # fmt: skip


def _asked(line: dict[str, Any]) -> tuple[str, ...]:
    names = ("workload", "optimizer", "precision", "device", "environment", "mode")
    return tuple(str(line[name]) for name in names)


def _answer(campaign: Campaign, line: dict[str, Any]) -> list[html.Cell]:
    title = str(campaign.environments.get(line["environment"], {}).get("title", line["environment"]))
    errors = [f"{kind} {error:.1e}" for kind, error in line["errors"].items() if error is not None]
    return [
        units.workload_title(line["workload"]),
        "inference" if line["optimizer"] == "none" else line["optimizer"],
        f"{title}, {line['mode']}",
        f"{line['device']}, {line['precision']}",
        campaign.day,
        ", ".join(errors) or units.NONE,
        "right" if line["status"] == "ok" else html.Wide(html.safe(line["reason"] or line["status"])),
    ]


def _flops_s(line: dict[str, Any]) -> float:
    return float(line["matmul_flops_s"] or 0.0)


def _ceiling(campaign: Campaign, line: dict[str, Any]) -> list[html.Cell]:
    name, device, precision = line["environment"], line["device"], line["precision"]
    title = str(campaign.environments.get(name, {}).get("title", name))
    named: list[html.Cell] = [f"{device}, {precision}", title]
    if line["reason"] is not None:
        return [*named, html.Wide(html.safe(line["reason"]))]
    best = campaign.context.ceilings.get((device, precision))  # none where a file says that nothing was reached
    rates = (units.digits(value / 1e9) for value in (line["matmul_flops_s"], line["copy_bytes_s"]))
    return [*named, *rates, units.share(line["matmul_flops_s"] / best.flops_s if best else None)]


def _campaigns(found: Found, machine: str) -> list[html.Markup]:
    """Return every campaign of the machine, those that nothing is concluded from last."""
    own = _shown(found, machine)
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
    if len(found.results.machines) == 1:
        return [html.paragraph(html.join([ALONE, html.link(f"{ROOT}contributing/", "how to add one"), "."]), "missing")]
    own = [each for each in found.compared.of(MACHINES) if machine in (each.first.machine, each.second.machine)]
    return [part for each in own for part in _compared(each)] or [html.paragraph(APART, "missing")]


def _compared(comparison: SetComparison) -> list[html.Markup]:
    return [html.paragraph(compare.finding(comparison)), compare.table(comparison, ROOT)]


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


def _state(campaign: Campaign) -> list[html.Cell]:
    """Return a campaign's row: what its runs found, or what could not be sampled."""
    found, name = campaign.outcomes.states, campaign.name
    if not found:
        return [name, html.Wide(html.safe(sampled(campaign)))]
    cpu = [each["cpu"] for each in found if each["cpu"]]
    return [
        name,
        _range(_values(cpu, "utilisation"), "%", 0.01),
        _range(_values(cpu, "others_share"), "%", 0.01),
        _range(_values(cpu, "frequency_lowest_mhz", "frequency_mean_mhz"), "MHz"),
        _range(_values(cpu, "load_highest")),
        _range(_values(cpu, "swap_highest_bytes"), "GiB", 2.0**30),
        _range(_values(cpu, "free_memory_lowest_bytes"), "GiB", 2.0**30),
        _gpu([each["gpu"] for each in found if each["gpu"]]),
        void_rounds(campaign),
    ]


def _gpu(found: Sequence[Summary]) -> str:
    if not found:
        return units.NONE
    reasons = units.listing(sorted({word for each in found for word in each["throttle_reasons"]}))
    parts = [
        f"SM clock {_range(_values(found, 'sm_clock_lowest_mhz', 'sm_clock_mean_mhz'), 'MHz')}",
        f"mean power {_range(_values(found, 'power_mean_w'), 'W')}",
        f"hottest {_range(_values(found, 'temperature_highest_c'), '°C')}",
        f"held down by {reasons}" if reasons else "not throttled",
    ]
    return "; ".join(parts)


def _values(found: Sequence[Summary], *names: str) -> list[float]:
    """Return what is known of some fields, over all runs."""
    return [each[name] for each in found for name in names if each[name] is not None]


def _range(values: Sequence[float], unit: str = "", size: float = 1.0) -> str:
    """Return the lowest and the highest value, in `unit` of `size`."""
    if not values:
        return units.NONE
    low, high = (units.digits(bound(values) / size) for bound in (min, max))
    return f"{low if low == high else f'{low} to {high}'} {unit}".strip()


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
