"""What each campaign brought, with those before it on the same machine: what is new, what it adds to, what it replaces.

Times of two campaigns are not compared here: their rounds share no state of the machine.
"""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from analysis.groups import collected
from analysis.load import history
from analysis.load.campaigns import Campaign, question_of
from analysis.load.table import Results
from analysis.stats import Row
from bench.cases import Case

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

    times: dict[Competitor, history.Measured]  # the current results
    environments: set[str]  # titles
    versions: dict[tuple[str, str], str]  # by environment, "" for the machine itself, and what has a version
    code: dict[tuple[str, str], set[str]]  # (environment, workload) -> hashes of what was measured


def changes(results: Results) -> list[Change]:
    """Return what every published campaign changed, the newest first."""
    made = [each for machine in results.machines for each in _of_machine(results, machine)]
    return sorted(made, key=lambda each: (each.campaign.began, each.campaign.name), reverse=True)


def _of_machine(results: Results, machine: str) -> list[Change]:
    known = _Known({}, set(), {}, {})
    made = [_change(campaign, known) for campaign in results.shown if campaign.machine == machine]
    return [change._replace(shown=sum(known.times[key] in own for key, own in _times(change.campaign).items()))
            for change in made]  # fmt: skip


def _times(campaign: Campaign) -> dict[Competitor, list[history.Measured]]:
    """Return what the times of each competitor were measured with, the newest last."""
    made = {_competitor(campaign, each.case): history.measured(campaign, each) for each in campaign.outcomes.cases}
    return {key: own for key, own in made.items() if own}


def _competitor(campaign: Campaign, case: Case) -> Competitor:
    return question_of(case, campaign.threads), (case.environment, case.mode)


def _change(campaign: Campaign, known: _Known) -> Change:
    """Return what a campaign changed, and bring `known` up to date."""
    times = {key: made[-1] for key, made in _times(campaign).items()}
    hashes = collected(((outcome.case.environment, outcome.case.workload), code)
                       for outcome in campaign.outcomes.cases for code in outcome.codes)  # fmt: skip
    code = {place: set(own) for place, own in hashes.items()}
    titles = {campaign.environments[name].title for name, _ in code if name in campaign.environments}
    again = [made == known.times[key] for key, made in times.items() if key in known.times]
    asked = {_competitor(campaign, case): (outcome and outcome.lost) or "not_run"
             for case, outcome in campaign.asked.items()}  # fmt: skip
    versions = _versions(campaign)
    changed = [key for key in sorted(code) if known.code.get(key, code[key]) != code[key]]
    change = Change(
        campaign,
        not known.times,
        len(times),
        sorted({workload for _, workload in code} - {workload for _, workload in known.code}),
        sorted(titles - known.environments),
        again.count(True),
        again.count(False),
        dict(Counter(asked[key].replace("_", " ") for key in sorted(asked) if key in known.times and key not in times)),
        [(title, key[1].replace("_", " "), before, now) for key, (title, now) in versions.items()
         if (before := known.versions.get(key, now)) != now],
        {name: [workload for own, workload in changed if own == name] for name, _ in changed},
        0,
    )  # fmt: skip
    known.times.update(times)
    known.environments.update(titles)
    known.versions.update({key: now for key, (_, now) in versions.items()})
    known.code.update(code)
    return change


def _versions(campaign: Campaign) -> dict[tuple[str, str], tuple[str, str]]:
    """Return what has a version, by environment ("" for the machine) and name: the title of the former, the version."""
    machine = campaign.bench.machine
    loaded = {("", name): ("machine", getattr(machine, name)) for name in MACHINE}
    for environment, line in campaign.environments.items():
        parts = {"Python": line.python, **line.loaded}
        loaded |= {(environment, name): (line.title, version) for name, version in parts.items()}
    return {key: (title, str(version)) for key, (title, version) in sorted(loaded.items()) if version}
