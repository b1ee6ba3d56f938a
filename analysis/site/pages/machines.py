"""The machines: an index, a page for each that begins with its own ranking, and the newest campaigns.

A machine's page and the files of its figures are named by a hash of its recorded name, which no other machine changes.
"""

import re
from collections.abc import Iterator, Sequence

from analysis import units
from analysis.compare import changes
from analysis.compare.changes import Change
from analysis.compare.unpaired import MACHINES
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, with_usual_threads
from analysis.found import Found
from analysis.groups import grouped
from analysis.load.campaigns import Campaign
from analysis.site import links, template
from analysis.site.pages import with_bounds
from analysis.text import html, sentences
from bench import ablations, registry
from bench.results import void_rules
from bench.results.lines import Machine

ROOT = "../../../"  # from generated/machines/<slug>/ to the site's top
NEWEST = 10  # campaigns that the page of changes shows; all are in campaigns.csv
FEW = 6  # questions whose ratios have their intervals beside them; of more, Results has them
PROFILES = {
    "smoke": "proves that the code runs, and says nothing about speed",
    "quick": "few rounds",
    "full": "many rounds",
}
UNNAMED = re.compile(r"[^\w .,()+-]|_")  # what no heading has: names come from results


def in_order(found: Found) -> list[str]:
    """Return the machines, those with a GPU first, then by their short names."""
    names = found.names
    return sorted(found.results.machines, key=lambda name: (not _machine(found, name).gpu, names[name], name))


def page(found: Found) -> str:
    """Return the fragment of the machines' index."""
    rows = []
    for name in in_order(found):
        campaigns, stated = found.campaigns(name), facts(found.results.campaigns[name])
        days = " to ".join(dict.fromkeys([campaigns[0].day, campaigns[-1].day]))
        rows.append((link(name, found.names[name]), stated["processor"], stated["GPU"], size(campaigns), days,
                     len(_workloads(found, name))))  # fmt: skip
    return template.render("machines.html", machines=rows)


def _machine(found: Found, name: str) -> Machine:
    return found.results.campaigns[name].bench.machine


def facts(campaign: Campaign) -> dict[str, str]:
    """Return the facts about a machine and its newest campaign."""
    bench, machine = campaign.bench, campaign.bench.machine
    edited = ", with changes that are not committed" if bench.is_dirty else ""
    return {
        "processor": f"{machine.cpu}, {bench.threads} of {machine.logical_cpus} CPUs used",
        "memory": f"{machine.memory_bytes / 2**30:.0f} GiB",
        "GPU": f"{machine.gpu}, driver {machine.gpu_driver}" if machine.gpu else "none",
        "system": machine.system,
        "profile": f"{bench.profile}: {PROFILES[bench.profile]}",
        "source": f"{(bench.revision or 'unknown')[:12]}{edited}",
    }


def size(campaigns: Sequence[Campaign]) -> str:
    """Return how much a machine measured, as in "1 campaign, 4 rounds", and by how many equal nodes, if several."""
    rounds = sum(campaign.end.rounds if campaign.end else campaign.outcomes.last_round for campaign in campaigns)
    nodes = {campaign.bench.node for campaign in campaigns} - {None}
    by = f", {units.count(len(nodes), 'node')}" * (len(nodes) > 1)
    return f"{units.count(len(campaigns), 'campaign')}, {units.count(rounds, 'round')}{by}"


def link(machine: str, title: object) -> html.Markup:
    """Return a link to a machine's page, from a page at the site's top."""
    return html.link(links.machine("../", html.slug(machine)), html.safe(title, html.NAME_LENGTH))


def pages(found: Found) -> dict[str, str]:
    """Return each machine's page by the name of its file."""
    return {html.slug(name): _page(found, name) for name in found.results.machines}


def _page(found: Found, machine: str) -> str:
    campaigns, names = found.campaigns(machine), registry.workload_names()
    lacking = len(set(names) - _workloads(found, machine))
    missing = f"{lacking} of {units.count(len(names), 'workload')} not measured on this machine." if lacking else ""
    return template.render(
        "machine.html",
        heading=html.Markup(UNNAMED.sub("", found.names[machine]).strip() or "Machine"),
        recorded=machine,
        size=size(campaigns),
        newest=campaigns[-1].day,
        groups=list(_rankings(found, machine)),
        missing=missing,
        facts=list(facts(found.results.campaigns[machine]).items()),
        ceilings=_ceilings(campaigns),
        state=_state(campaigns),
        others=_others(found, machine),
        replicated=_replicated(campaigns),
        links=links,
        root=ROOT,
    )


def _rankings(found: Found, machine: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """Yield the settings, the header and the rows of a ranking for each precision and number of threads.

    It shows every precision of a GPU, and otherwise each workload's first question.
    """
    answers = [answer for answer in found.first(machine) if answer.measured]
    if _machine(found, machine).gpu:
        answers = with_usual_threads([answer for answer in found.defaults
                                      if answer.question.machine == machine and answer.measured])  # fmt: skip

    def asked(answer: Estimates) -> str:
        threads = units.count(answer.question.threads, "thread")
        return f"{sentences.precision(answer.question)}, {threads}, default modes"

    for settings, group in grouped(answers, asked).items():
        titles = sorted({cell.title for answer in group for cell in answer.measured})
        yield settings, ["network", *titles], [_row(answer, titles, len(group) <= FEW) for answer in group]


def _row(answer: Estimates, titles: Sequence[str], with_intervals: bool) -> list[str]:
    question = answer.question
    address = links.results(ROOT, workload=question.workload, machine=question.machine)
    asked = f"{'training' if question.task == 'train' else 'inference'}, batch {question.batch_size}"
    cells = {cell.title: cell for cell in answer.measured}
    values = [_value(cells[title], with_intervals) if title in cells else units.NONE for title in titles]
    return [with_bounds(html.link(address, units.workload_title(question.workload)), asked), *values]


def _value(cell: Cell, with_interval: bool) -> str:
    """Return the time of the fastest, or the factor by which another is slower; "~": not significant."""
    if cell.to_fastest is None:
        return html.element("b", units.seconds(cell.time.value)) if cell.time and cell.is_fastest else units.NONE
    ratio, claim = cell.to_fastest.ratio, cell.to_fastest.claim
    text = "tie" if claim == "equivalent" else f"{'' if claim == 'faster' else '~'}{units.factor(ratio.value)}x"
    return with_bounds(text, units.between(ratio, units.RATIO)) if with_interval else text


def _workloads(found: Found, machine: str) -> set[str]:
    """Return the workloads of which a machine has a time."""
    return {answer.question.workload for answer in found.answers
            if answer.question.machine == machine and answer.measured}  # fmt: skip


def _replicated(campaigns: Sequence[Campaign]) -> str:
    """Return how many devices a machine trained on at once, and in how many environments; "" if it was one."""
    cases = [case for campaign in campaigns for case in campaign.bench.cases if ablations.devices(case.mode) > 1]
    if not cases:
        return ""
    numbers = units.listing(map(str, sorted({ablations.devices(case.mode) for case in cases})), "or")
    environments = units.count(len({case.environment for case in cases}), "environment")
    return f"{numbers} {'replicas on the CPU' if cases[-1].device == 'cpu' else 'GPUs'} at once, in {environments}"


def _ceilings(campaigns: Sequence[Campaign]) -> str:
    """Return the highest rates of a matrix product, by the newest campaign that measured them."""
    measured = [campaign.context.ceilings for campaign in campaigns if campaign.ceilings][-1:]
    best = [
        f"{units.digits(ceiling.flops_s / 1e9)} GFLOP/s in {precision} on the {device.upper()}"
        for ceilings in measured for (device, precision), ceiling in sorted(ceilings.items())
    ]  # fmt: skip
    return f"Largest matrix product: {units.listing(best) or 'not measured'}."


def _state(campaigns: Sequence[Campaign]) -> str:
    """Return the share of other processes, and the number of disturbed rounds."""
    judged = [campaign for campaign in campaigns if campaign.outcomes.states]
    if not judged:
        return "The machine's state was not sampled, so no round could be judged void."
    cpus = [state.cpu for campaign in judged for state in campaign.outcomes.states if state.cpu]
    others = [cpu.others_share for cpu in cpus if cpu.others_share is not None]
    void = void_rules.told([void for campaign in judged for void in campaign.voids]) or "none"
    most = units.share(max(others)) if others else "an unknown share"
    return f"Other processes used at most {most} of the cores. Disturbed rounds: {void}."


def _others(found: Found, machine: str) -> list[html.Markup]:
    """Return a link to the comparison with each other machine that measured the same."""
    return [
        html.link(links.compare(ROOT, comparison.first.name, comparison.second.name),
                  html.safe(found.names[names[names[0] == machine]], html.NAME_LENGTH))
        for comparison in found.compared.of(MACHINES)
        if machine in (names := (comparison.first.machine, comparison.second.machine))
    ]  # fmt: skip


def changes_page(found: Found) -> str:
    """Return the fragment of the changes page: how much is published, then the newest campaigns."""
    brought = changes.changes(found.results)
    machines_with = {change.campaign.machine for change in brought}
    times = [_began(change.campaign) for change in brought]
    return template.render(
        "changes.html",
        glance=f"{units.count(len(brought), 'campaign')} on {units.count(len(machines_with), 'machine')}, "
        f"from {times[-1]} to {times[0]}." if brought else "",
        rows=[_brought(change, found.names[change.campaign.machine]) for change in brought[:NEWEST]],
        changelog="CHANGELOG.md",
        data=links.data("../", "campaigns.csv"),
    )  # fmt: skip


def _began(campaign: Campaign) -> str:
    return f"{campaign.day}, {campaign.began[11:16]} UTC"  # its pattern is the schema's


def _brought(change: Change, short: str) -> tuple[str | html.Markup, ...]:
    replaced = change.cells - change.shown
    cells = f"{change.cells}, {replaced} of them replaced since" if replaced else str(change.cells)
    new = {"workload": len(change.workloads), "environment": len(change.environments)}  # for the first time there
    counts = units.listing(units.count(number, noun) for noun, number in new.items() if number)
    machine = link(change.campaign.machine, short)
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
