"""What each campaign brought, with those before it on the same machine: what is new, what it adds to, what it replaces.

Times of two campaigns are not compared here: their rounds share no state of the machine.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from analysis.load import history
from analysis.load.campaigns import Campaign, question_of
from analysis.load.history import Measured
from analysis.load.table import Results
from analysis.stats import Row

MACHINE = ("cpu", "instructions", "system", "gpu_driver")  # of a machine's record: what may change below one name

Competitor = tuple[str, Row]  # the text of a question, environment and mode


class Change(NamedTuple):
    """A campaign of one machine, with what it changed."""

    campaign: Campaign
    is_first: bool  # of its machine
    cells: int  # that it gave a time
    workloads: Sequence[str]  # that have a time on this machine for the first time
    environments: Sequence[str]  # likewise, by title
    added: int  # cells whose rounds join those of campaigns before
    afresh: int  # cells with a time of other code, versions or ways to measure: the older rounds are history
    kept: dict[str, int]  # why so many cells that had a time got none, and keep the older one
    versions: Sequence[tuple[str, str, str, str]]  # environment or machine, what, before, now
    code: dict[str, Sequence[str]]  # environment -> workloads that were measured with other code before
    shown: int  # of its cells, those with current rounds


class _Known(NamedTuple):
    """What is known of a machine before a campaign; each is brought up to date by it."""

    times: dict[Competitor, Measured]  # the current results
    environments: set[str]  # titles
    versions: dict[str, dict[str, str]]  # by environment, "" for the machine itself
    code: dict[tuple[str, str], set[str]]  # (environment, workload) -> hashes of what was measured


def changes(results: Results) -> list[Change]:
    """Return what every published campaign changed, the newest first."""
    made = [each for machine in results.machines for each in _of_machine(results, machine)]
    return sorted(made, key=lambda each: (each.campaign.began, each.campaign.name), reverse=True)


def _of_machine(results: Results, machine: str) -> list[Change]:
    known = _Known({}, set(), {}, {})
    made = [_change(each, known) for each in results.shown if each.machine == machine]
    return [each._replace(shown=sum(known.times[key] in own for key, own in _times(each.campaign).items()))
            for each in made]  # fmt: skip


def _times(campaign: Campaign) -> dict[Competitor, list[Measured]]:
    """Return what the times of each competitor were measured with, the newest last."""
    own = ((each.case, history.measured(campaign, each)) for each in campaign.outcomes.cases if each.provenances)
    return {_competitor(campaign, case): made for case, made in own}


def _competitor(campaign: Campaign, case: Any) -> Competitor:
    return question_of(case, campaign.threads), (case.environment, case.mode)


def _change(campaign: Campaign, known: _Known) -> Change:
    """Return what a campaign changed, and bring `known` up to date."""
    times = {key: made[-1] for key, made in _times(campaign).items()}
    code: dict[tuple[str, str], set[str]] = {}
    for each in campaign.outcomes.cases:
        if each.provenances:
            code.setdefault((each.case.environment, each.case.workload), set()).update(each.codes)
    titles = {campaign.environments[name].title for name, _ in code if name in campaign.environments}
    again = [made == known.times[key] for key, made in times.items() if key in known.times]
    asked = {_competitor(campaign, case): outcome for case, outcome in campaign.asked.items()}
    changed = [key for key in sorted(code) if known.code.get(key, code[key]) != code[key]]
    change = Change(
        campaign,
        not known.times,
        len(times),
        sorted({workload for _, workload in code} - {workload for _, workload in known.code}),
        sorted(titles - known.environments),
        again.count(True),
        again.count(False),
        dict(Counter(
            (outcome.lost or "not run").replace("_", " ") if outcome else "not run"
            for key, outcome in sorted(asked.items(), key=lambda each: each[0])
            if key in known.times and key not in times
        )),
        list(_versions(campaign, known.versions)),
        {name: [workload for own, workload in changed if own == name] for name, _ in changed},
        0,
    )  # fmt: skip
    known.times.update(times)
    known.environments.update(titles)
    known.code.update(code)
    return change


def _versions(campaign: Campaign, known: dict[str, dict[str, str]]) -> Iterator[tuple[str, str, str, str]]:
    """Yield each version that is another one than when it was loaded last, and remember what is loaded now."""
    machine = campaign.bench.machine
    own = {name: getattr(machine, name) for name in MACHINE}
    loaded: dict[str, tuple[str, dict[str, Any]]] = {"": ("machine", own)}
    for name, each in sorted(campaign.environments.items()):
        loaded[name] = each.title, {"Python": each.python, **each.loaded}
    for name, (title, versions) in loaded.items():
        now = {key: str(value) for key, value in versions.items() if value}
        before = known.get(name, {})
        for key in sorted(set(before) & set(now)):
            if before[key] != now[key]:
                yield title, key.replace("_", " "), before[key], now[key]
        known[name] = {**before, **now}
