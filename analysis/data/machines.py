"""Machines by campaign: campaigns.csv, installed.csv, ceilings.csv and device_answers.csv."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from analysis.compare import changes
from analysis.compare.changes import Change
from analysis.data.schema import Column, Table, asked, count, flag, measure
from analysis.found import Found
from analysis.load.campaigns import Campaign
from analysis.site.pages import installed, sampled, void_rounds


class Line(NamedTuple):
    """A campaign with its machine's short name, and what it changed where it is concluded from."""

    campaign: Campaign
    machine: str
    change: Change | None
    values: Mapping[str, Any] = {}  # of one line of the campaign


def _campaigns(found: Found) -> Iterator[Line]:
    short = found.names
    known = {id(each.campaign): each for each in changes.changes(found.results)}
    for campaign in (*found.results.shown, *found.results.left_out):
        yield Line(campaign, short.get(campaign.machine, campaign.machine), known.get(id(campaign)))


def _lines(kind: str) -> Callable[[Found], Iterator[Line]]:
    def rows(found: Found) -> Iterator[Line]:
        for line in _campaigns(found):
            yield from (line._replace(values=each) for each in getattr(line.campaign, kind))

    return rows


def _installed(found: Found) -> Iterator[Line]:
    """Yield each environment of each machine as its newest campaign found it."""
    short = found.names
    for machine in found.results.machines:
        for name, campaign in installed(found, machine).items():
            yield Line(campaign, short[machine], None, {"name": name, **campaign.environments[name]})


def _state(name: str, device: str, fields: tuple[str, ...], unit: str, about: str) -> list[Column]:
    """Return the least and the most of some fields of the machine's state over a campaign's runs."""

    def bound(pick: Callable[[list[float]], float]) -> Callable[[Line], float | None]:
        def of(line: Line) -> float | None:
            states = [state for each in line.campaign.outcomes.states if (state := each[device])]
            values = [each[field] for each in states for field in fields if each.get(field) is not None]
            return pick(values) if values else None

        return of

    return [measure(f"{name}_{word}", f"{about}: {word} over runs", bound(pick), unit)
            for word, pick in (("least", min), ("most", max))]  # fmt: skip


def _throttled(line: Line) -> list[str]:
    states = [state for each in line.campaign.outcomes.states if (state := each["gpu"])]
    return sorted({word for each in states for word in each["throttle_reasons"]})


def _measured(name: str) -> Callable[[Line], int]:
    return lambda line: len({getattr(each.case, name) for each in line.campaign.outcomes.cases if each.rounds})


def _change(name: str, about: str, of: Callable[[Change], list[str]]) -> Column:
    return Column(name, about, lambda line: line.change and of(line.change))


def named(values: Mapping[str, Any]) -> list[str]:
    """Return names with values that are known, in alphabetical order."""
    return [f"{name} {value}" for name, value in sorted(values.items()) if value is not None]


KEY = [
    Column("machine", "name of the machine in the results", "campaign.machine"),
    Column("campaign", "name of the campaign: when it began, in UTC", "campaign.name"),
]

CAMPAIGNS = Table("campaigns.csv", "Every campaign: its machine, settings, state of the machine, and what it brought.",
                  ["machine", "campaign"], [
    *KEY,
    Column("machine_name", "short name of the hardware", "machine"),
    Column("began", "when it began, in UTC", "campaign.began"),
    Column("profile", "smoke, quick (few rounds) or full (many rounds)", "campaign.bench.profile"),
    flag("is_published", "whether numbers are concluded from it", "campaign.is_published"),
    Column("ended", "how it ended", lambda line: line.campaign.end["reason"] if line.campaign.end else "interrupted"),
    count("rounds", "rounds that it made",
          lambda line: (line.campaign.end or {"rounds": line.campaign.outcomes.last_round})["rounds"]),
    Column("void_rounds", "rounds that were void and repeated, or why none could be",
           lambda line: void_rounds(line.campaign)),
    count("runs", "runs", lambda line: len(line.campaign.runs)),
    count("measured", "runs with a time", "campaign.outcomes.measured"),
    count("workloads", "workloads with a time", _measured("workload")),
    count("environments", "environments with a time", _measured("environment")),
    count("threads", "threads of each run", "campaign.bench.threads"),
    Column("revision", "commit of the source that was measured", "campaign.bench.revision"),
    flag("is_dirty", "whether the source had changes that were not committed", "campaign.bench.is_dirty"),
    Column("cpu", "processor", "campaign.bench.machine.cpu"),
    count("logical_cpus", "CPUs of the machine", "campaign.bench.machine.logical_cpus"),
    Column("instructions", "instruction sets", "campaign.bench.machine.instructions"),
    Column("memory_bytes", "memory", "campaign.bench.machine.memory_bytes", "B", int),
    Column("gpu", "GPU", "campaign.bench.machine.gpu"),
    Column("gpu_driver", "driver of the GPU", "campaign.bench.machine.gpu_driver"),
    Column("system", "operating system", "campaign.bench.machine.system"),
    Column("sampled", "what could be sampled of the machine's state", lambda line: sampled(line.campaign)),
    *_state("cores_busy", "cpu", ("utilisation",), "%", "use of the run's cores"),
    *_state("others_share", "cpu", ("others_share",), "%", "share of other processes"),
    measure("slowed_share", "share of blocks that began beside a neighbour", "campaign.outcomes.slowed_share"),
    *_state("frequency", "cpu", ("frequency_lowest_mhz", "frequency_mean_mhz"), "MHz", "frequency of the cores"),
    *_state("load", "cpu", ("load_highest",), "", "load of the system"),
    *_state("swap", "cpu", ("swap_highest_bytes",), "B", "swap in use"),
    *_state("free_memory", "cpu", ("free_memory_lowest_bytes",), "B", "memory left"),
    *_state("sm_clock", "gpu", ("sm_clock_lowest_mhz", "sm_clock_mean_mhz"), "MHz", "clock of the GPU"),
    *_state("gpu_power", "gpu", ("power_mean_w",), "W", "mean power of the GPU"),
    *_state("gpu_temperature", "gpu", ("temperature_highest_c",), "°C", "temperature of the GPU"),
    Column("gpu_throttled", "reasons that held the GPU down", _throttled),
    count("cells", "cells that it gave a time", "change.cells"),
    count("cells_shown", "cells whose rounds count today", "change.shown"),
    Column("new_workloads", "workloads that the machine had no time for", "change.workloads"),
    Column("new_environments", "environments that the machine had no time for", "change.environments"),
    count("cells_added", "cells whose rounds join older ones", "change.added"),
    count("cells_afresh", "cells of other code, versions or ways to measure", "change.afresh"),
    _change("kept", "cells without a time this time that keep an older one", lambda own: [
        f"{count}: {why}" for why, count in own.kept.items()]),
    _change("versions", "versions that changed", lambda own: [
        f"{title}: {what} {before} → {now}" for title, what, before, now in own.versions]),
    _change("measured_code", "environments whose measured code changed, with the workloads", lambda own: [
        f"{name}: {', '.join(names)}" for name, names in own.code.items()]),
], _campaigns)  # fmt: skip


def _own(name: str, about: str) -> Column:
    return Column(name, about, f"values.{name}")


def _versions(name: str, about: str) -> Column:
    return Column(name, about, lambda line: named(line.values[name]))


INSTALLED = Table("installed.csv", "Every environment of each machine as its newest campaign found it installed.",
                  ["machine", "name"], [
    *KEY,
    _own("name", "name of the environment"),
    _own("title", "title of the environment"),
    _own("framework", "name of the framework"),
    _own("python", "version of Python"),
    _own("device", "cpu or gpu"),
    _versions("loaded", "versions that were loaded"),
    _versions("variables", "environment variables that were set"),
    _versions("packages", "all packages"),
    _own("libraries", "shared libraries"),
], _installed)  # fmt: skip


def _share(line: Line) -> float | None:
    best = line.campaign.context.ceilings.get((line.values["device"], line.values["precision"]))
    rate = line.values["matmul_flops_s"]
    return rate / best.flops_s if best and rate is not None else None


CEILINGS = Table("ceilings.csv", "The most that each environment got out of a machine.",
                 ["machine", "campaign", "device", "precision", "environment"], [
    *KEY,
    _own("device", "cpu or gpu"),
    _own("precision", "precision of the matrix product"),
    _own("environment", "name of the environment"),
    measure("matmul_flops_s", "floating-point operations in a second, in a large matrix product",
            "values.matmul_flops_s", "1/s"),
    measure("copy_bytes_s", "bytes read and written in a second, in a large array", "values.copy_bytes_s", "B/s"),
    measure("share", "share of the best product", _share),
    _own("reason", "why there is no number"),
], _lines("ceilings"))  # fmt: skip


ANSWERS = Table("device_answers.csv", "What a program computed on a device or in a precision, and its errors.",
                ["machine", "campaign", "workload", "optimizer", "precision", "device", "environment", "mode"], [
    *KEY,
    *asked("values", ("workload", "optimizer", "precision", "device", "environment", "mode")),
    Column("errors", "largest relative errors by quantity", lambda line: [
        f"{kind} {error:.1e}" for kind, error in line.values["errors"].items() if error is not None]),
    _own("status", "ok: right"),
    _own("reason", "what is wrong"),
], _lines("answers"))  # fmt: skip

TABLES = [CAMPAIGNS, INSTALLED, CEILINGS, ANSWERS]
