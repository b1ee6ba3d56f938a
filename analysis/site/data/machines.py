"""What each campaign recorded of its machine: state, ceilings, environments, answers on the device, and changes."""

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from analysis.compare import changes
from analysis.compare.changes import Change
from analysis.load.campaigns import Campaign
from analysis.site.data.schema import Column, Table
from analysis.site.pages import Found, facts, installed, void_rounds
from bench import registry

Record = Mapping[str, Any]


class Held(NamedTuple):
    """A campaign, with what it changed where it is concluded from."""

    campaign: Campaign
    change: Change | None

    @property
    def facts(self) -> Mapping[str, str]:
        """What is known of it, by name."""
        return dict(facts(self.campaign))


class Own(NamedTuple):
    """A record of a campaign."""

    campaign: Campaign
    name: str  # of an environment
    record: Record


def campaigns(found: Found) -> Iterator[Held]:
    """Yield every campaign, those that nothing is concluded from last."""
    changed = {(each.campaign.machine, each.campaign.name): each for each in changes.changes(found.results)}
    for each in (*found.results.shown, *found.results.left_out):
        yield Held(each, changed.get((each.machine, each.name)))


def environments(found: Found) -> Iterator[Own]:
    """Yield each environment of each machine, as its newest campaign had it."""
    for machine in found.results.machines:
        for name, campaign in installed(found, machine).items():
            yield Own(campaign, name, campaign.environments[name])


def ceilings(found: Found) -> Iterator[Own]:
    """Yield what each environment reached in a matrix product and a copy."""
    for each in found.results.shown:
        yield from (Own(each, line["environment"], line) for line in each.ceilings)


def answers(found: Found) -> Iterator[Own]:
    """Yield what was answered on devices and in other precisions than float32, beside the proven answer."""
    for each in found.results.shown:
        yield from (Own(each, line["environment"], line) for line in each.answers)


def extremes(states: Sequence[Record], device: str, *names: str) -> tuple[float | None, float | None]:
    """Return the least and the largest value of some fields of runs' states."""
    values = [state[device][name] for state in states if state[device] for name in names
              if state[device][name] is not None]  # fmt: skip
    return min(values, default=None), max(values, default=None)


SAMPLED = {  # column -> device, unit, fields
    "utilisation": ("cpu", "1", ("utilisation",)), "others_share": ("cpu", "1", ("others_share",)),
    "frequency_mhz": ("cpu", "MHz", ("frequency_lowest_mhz", "frequency_mean_mhz")),
    "load": ("cpu", "", ("load_highest",)), "swap_bytes": ("cpu", "B", ("swap_highest_bytes",)),
    "free_memory_bytes": ("cpu", "B", ("free_memory_lowest_bytes",)),
    "sm_clock_mhz": ("gpu", "MHz", ("sm_clock_lowest_mhz", "sm_clock_mean_mhz")),
    "power_w": ("gpu", "W", ("power_mean_w",)), "temperature_c": ("gpu", "°C", ("temperature_highest_c",)),
}  # fmt: skip


def _extreme(device: str, fields: Sequence[str], place: int, each: Held) -> float | None:
    return extremes(each.campaign.outcomes.states, device, *fields)[place]


def _sampled() -> Iterator[Column]:
    for name, (device, unit, fields) in SAMPLED.items():
        for place, which in enumerate(("least", "most")):
            yield Column(f"{name}_{which}", f"{which} of {name.replace('_', ' ')} over the runs",
                         functools.partial(_extreme, device, fields, place), unit, float)  # fmt: skip


def _changed(name: str, about: str, kind: type = str) -> Column:
    return Column(name, about, lambda each: getattr(each.change, name) if each.change else None, "", kind)


def _fact(name: str) -> Column:
    return Column(name.replace(" ", "_").lower(), f"{name} of the campaign", lambda each: each.facts[name])


def _throttled(each: Held) -> list[str]:
    states = [state["gpu"] for state in each.campaign.outcomes.states if state["gpu"]]
    return sorted({word for state in states for word in state["throttle_reasons"]})


def _measured(each: Held) -> list[Any]:
    return [about.case for about in each.campaign.outcomes.cases if about.rounds]


CAMPAIGNS = Table("campaigns.csv", "Every campaign: machine, size, state of the machine, and what it changed.",
    ["machine", "campaign"], [
    Column("machine", "name of the machine", lambda each: each.campaign.machine),
    Column("campaign", "name of the campaign", lambda each: each.campaign.name),
    Column("began", "when it began", lambda each: each.campaign.began),
    Column("is_shown", "whether results are concluded from it", lambda each: each.change is not None, "", bool),
    *(_fact(name) for name in ("processor", "instructions", "memory", "GPU", "system", "profile", "ended",
                               "machine state", "source")),
    Column("rounds", "rounds that were made", lambda each: each.campaign.end["rounds"] if each.campaign.end
           else each.campaign.outcomes.last_round, "", int),
    Column("void_rounds", "rounds that broke a rule", lambda each: void_rounds(each.campaign)),
    Column("workloads", "workloads with a time", lambda each: len({case.workload for case in _measured(each)}), "",
           int),
    Column("environments", "environments with a time", lambda each: len({case.environment for case in _measured(each)}),
           "", int),
    Column("runs_measured", "runs with a time", lambda each: each.campaign.outcomes.measured, "", int),
    Column("runs", "all runs", lambda each: len(each.campaign.runs), "", int),
    Column("slowed_share", "share of blocks that began beside a neighbour",
           lambda each: each.campaign.outcomes.slowed_share, "1", float),
    *_sampled(),
    Column("throttled", "why the GPU's clock was lowered", _throttled),
    _changed("cells", "cells with a time", int), _changed("shown", "of these, those whose rounds are current", int),
    _changed("workloads", "workloads that are new on this machine")._replace(name="new_workloads"),
    _changed("environments", "environments that are new on this machine")._replace(name="new_environments"),
    _changed("added", "cells whose rounds join earlier ones", int),
    _changed("afresh", "cells that begin a new result: other code, versions or timing", int),
    Column("kept", "why older results stay",
           lambda each: [f"{number}: {why}" for why, number in each.change.kept.items()] if each.change else None),
    Column("versions", "versions that changed", lambda each: [" ".join(row) for row in each.change.versions]
           if each.change else None),
    Column("code", "workloads whose measured code changed, by environment",
           lambda each: [f"{name}: {', '.join(own)}" for name, own in each.change.code.items()]
           if each.change else None),
], campaigns)  # fmt: skip


def _of(name: str, about: str, unit: str = "", kind: type = str) -> Column:
    return Column(name, about, lambda each: each.record[name], unit, kind)


def _listed(name: str, about: str) -> Column:
    return Column(name, about, lambda each: [f"{key} {value}" for key, value in sorted(each.record[name].items())
                                             if value is not None])  # fmt: skip


KEY = ["machine", "campaign", "environment"]
NAMED = [
    Column("machine", "name of the machine", lambda each: each.campaign.machine),
    Column("campaign", "name of the campaign", lambda each: each.campaign.name),
    Column("environment", "name of the environment", lambda each: each.name),
]
ENVIRONMENTS = Table("environments.csv", "Every environment of each machine, as its newest campaign loaded it.",
    KEY, [
    *NAMED, _of("title", "its title"), _of("python", "version of Python"), _of("device", "cpu or gpu"),
    _listed("loaded", "versions that were loaded"), _listed("variables", "environment variables that were set"),
    _listed("packages", "packages that were installed"), _of("libraries", "libraries that were loaded"),
    Column("built_for", "instructions that it was built for, and the source", lambda each: registry.environments()
           [each.name].built_for if each.name in registry.environments() else ""),
], environments)  # fmt: skip
CEILINGS = Table("ceilings.csv", "What each environment reached in a large matrix product and in a copy.",
    [*KEY, "device", "precision"], [
    *NAMED, _of("device", "cpu or gpu"), _of("precision", "precision of the product"),
    _of("matmul_flops_s", "rate of the product, the fastest of five blocks", "1/s", float),
    _of("copy_bytes_s", "bytes read and written", "B/s", float), _of("reason", "why it was not measured"),
], ceilings)  # fmt: skip
ANSWERS = Table("device_answers.csv", "Each program's answer on its device and in its precision, beside the proven.",
    [*KEY, "workload", "optimizer", "mode", "device", "precision"], [
    *NAMED, _of("workload", "name of the workload"), _of("optimizer", "none: inference"), _of("mode", "mode"),
    _of("device", "cpu or gpu"), _of("precision", "precision"), _of("status", "ok: within the tolerances"),
    _listed("errors", "largest relative errors"), _of("reason", "what is wrong"),
], answers)  # fmt: skip

TABLES = [CAMPAIGNS, ENVIRONMENTS, CEILINGS, ANSWERS]
