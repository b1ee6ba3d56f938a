"""What each campaign brought, against those before it on the same machine: what is new, and what it takes the place of.

Times of two campaigns are not compared here: their rounds share no state of the machine.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from analysis.campaigns import Campaign
from analysis.estimates import Row
from analysis.table import Results
from bench.cases import Case

MACHINE = ("system", "gpu_driver")  # of a machine's record: what may change below one name


class Change(NamedTuple):
    """A campaign of one machine, with what it changed."""

    campaign: Campaign
    is_first: bool  # of its machine
    cells: int  # that it gave a time
    workloads: Sequence[str]  # that have a time on this machine for the first time
    environments: Sequence[str]  # likewise, by title
    superseded: dict[str, int]  # earlier campaign -> how many of its questions this one asked again
    lost: dict[str, int]  # why so many cells that had a time before have none now
    versions: Sequence[tuple[str, str, str, str]]  # environment or machine, what, before, now
    code: dict[str, Sequence[str]]  # environment -> workloads that were measured with other code before
    asked: int  # questions
    shown: int  # of them, those that no later campaign asked again


class _Known(NamedTuple):
    """What is known of a machine before a campaign; each is brought up to date by it."""

    holders: dict[str, str]  # question -> the campaign that answers it
    times: dict[str, set[Row]]  # question -> competitors with a time
    workloads: set[str]
    environments: set[str]  # titles
    versions: dict[str, dict[str, str]]  # by environment, "" for the machine itself
    code: dict[tuple[str, str], set[str]]  # (environment, workload) -> hashes of what was measured


def changes(results: Results) -> list[Change]:
    """Return what every published campaign changed, the newest first."""
    made = [each for machine in results.machines for each in _of_machine(results, machine)]
    return sorted(made, key=lambda each: (each.campaign.began, each.campaign.name), reverse=True)


def _of_machine(results: Results, machine: str) -> list[Change]:
    known = _Known({}, {}, set(), set(), {}, {})
    made = [_change(each, known) for each in results.shown if each.machine == machine]
    holders = list(known.holders.values())
    return [each._replace(shown=holders.count(each.campaign.name)) for each in made]


def _change(campaign: Campaign, known: _Known) -> Change:
    """Return what a campaign changed, and bring `known` up to date."""
    is_first = not known.holders
    times, code, reasons = _measured(campaign)
    workloads = sorted({workload for _, workload in code})
    titles = {str(campaign.environments[name]["title"]) for name, _ in code if name in campaign.environments}
    cases = [Case(**case) for case in campaign.bench["cases"]]
    asked = {(case.question, (case.environment, case.mode)) for case in cases}
    questions = {question for question, _ in asked} | set(times)
    change = Change(
        campaign,
        is_first,
        sum(map(len, times.values())),
        [name for name in workloads if name not in known.workloads],
        sorted(titles - known.environments),
        _count(known.holders[question] for question in sorted(questions & set(known.holders))),
        _count(
            reasons.get((question, row), "not run" if (question, row) in asked else "not asked again")
            for question in sorted(questions & set(known.times))
            for row in sorted(known.times[question] - times.get(question, set()))
        ),
        list(_versions(campaign, known.versions)),
        _other_code(code, known.code),
        len(questions),
        0,
    )
    known.holders.update(dict.fromkeys(questions, campaign.name))
    known.times.update({question: times.get(question, set()) for question in questions})
    known.workloads.update(workloads)
    known.environments.update(titles)
    known.code.update(code)
    return change


def _count(names: Iterator[str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for name in names:
        found[name] = found.get(name, 0) + 1
    return found


def _measured(
    campaign: Campaign,
) -> tuple[dict[str, set[Row]], dict[tuple[str, str], set[str]], dict[tuple[str, Row], str]]:
    """Return who has a time at each question, which code was measured, and why others have none."""
    times: dict[str, set[Row]] = {}
    code: dict[tuple[str, str], set[str]] = {}
    reasons: dict[tuple[str, Row], str] = {}
    for each in campaign.outcomes.cases:
        case = each.case
        row = case.environment, case.mode
        if each.rounds:
            times.setdefault(case.question, set()).add(row)
            code.setdefault((case.environment, case.workload), set()).update(each.codes)
        if each.lost:
            reasons[case.question, row] = each.lost.replace("_", " ")
    return times, code, reasons


def _versions(campaign: Campaign, known: dict[str, dict[str, str]]) -> Iterator[tuple[str, str, str, str]]:
    """Yield each version that is another one than when it was loaded last, and remember what is loaded now."""
    machine = campaign.bench["machine"]
    loaded: dict[str, tuple[str, dict[str, Any]]] = {"": ("machine", {name: machine[name] for name in MACHINE})}
    for name, each in sorted(campaign.environments.items()):
        loaded[name] = str(each["title"]), {"Python": each["python"], **each["loaded"]}
    for name, (title, versions) in loaded.items():
        now = {key: str(value) for key, value in versions.items() if value}
        before = known.get(name, {})
        for key in sorted(set(before) & set(now)):
            if before[key] != now[key]:
                yield title, key.replace("_", " "), before[key], now[key]
        known[name] = {**before, **now}


def _other_code(
    code: dict[tuple[str, str], set[str]], known: dict[tuple[str, str], set[str]]
) -> dict[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for environment, workload in sorted(code):
        if known.get((environment, workload), code[environment, workload]) != code[environment, workload]:
            found.setdefault(environment, []).append(workload)
    return dict(found)
