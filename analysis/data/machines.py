"""Machines by campaign: campaigns.csv, installed.csv, ceilings.csv and device_answers.csv."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from analysis.compare import changes
from analysis.compare.changes import Change
from analysis.data.schema import Column, Table
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


def _bench(name: str, about: str, kind: type = str) -> Column:
    return Column(name, about, lambda line: line.campaign.bench.get(name), "", kind)


def _machine(name: str, about: str, unit: str = "", kind: type = str) -> Column:
    return Column(name, about, lambda line: line.campaign.bench["machine"].get(name), unit, kind)


def _state(name: str, device: str, fields: tuple[str, ...], unit: str, about: str) -> list[Column]:
    """Return the least and the most of some fields of the machine's state over a campaign's runs."""

    def bound(pick: Callable[[list[float]], float]) -> Callable[[Line], float | None]:
        def of(line: Line) -> float | None:
            states = [each[device] for each in line.campaign.outcomes.states if each[device]]
            values = [each[field] for each in states for field in fields if each.get(field) is not None]
            return pick(values) if values else None

        return of

    return [Column(f"{name}_{word}", f"{about}: {word} over runs", bound(pick), unit, float)
            for word, pick in (("least", min), ("most", max))]  # fmt: skip


def _throttled(line: Line) -> list[str]:
    states = [each["gpu"] for each in line.campaign.outcomes.states if each["gpu"]]
    return sorted({word for each in states for word in each["throttle_reasons"]})


def _measured(name: str) -> Callable[[Line], int]:
    return lambda line: len({getattr(each.case, name) for each in line.campaign.outcomes.cases if each.rounds})


def _change(name: str, about: str, of: Callable[[Change], Any], kind: type = str) -> Column:
    return Column(name, about, lambda line: of(line.change) if line.change else None, "", kind)


def named(values: Mapping[str, Any]) -> list[str]:
    """Return names with values that are known, in alphabetical order."""
    return [f"{name} {value}" for name, value in sorted(values.items()) if value is not None]


KEY = [
    Column("machine", "name of the machine in the results", lambda line: line.campaign.machine),
    Column("campaign", "name of the campaign: when it began, in UTC", lambda line: line.campaign.name),
]

CAMPAIGNS = Table("campaigns.csv", "Every campaign: its machine, settings, state of the machine, and what it brought.",
                  ["machine", "campaign"], [
    *KEY,
    Column("machine_name", "short name of the hardware", lambda line: line.machine),
    Column("began", "when it began, in UTC", lambda line: line.campaign.began),
    _bench("profile", "smoke, quick (few rounds) or full (many rounds)"),
    Column("is_published", "whether numbers are concluded from it", lambda line: line.campaign.is_published, "", bool),
    Column("ended", "how it ended", lambda line: line.campaign.end["reason"] if line.campaign.end else "interrupted"),
    Column("rounds", "rounds that it made",
           lambda line: (line.campaign.end or {"rounds": line.campaign.outcomes.last_round})["rounds"], "", int),
    Column("void_rounds", "rounds that were void and repeated, or why none could be",
           lambda line: void_rounds(line.campaign)),
    Column("runs", "runs", lambda line: len(line.campaign.runs), "", int),
    Column("measured", "runs with a time", lambda line: line.campaign.outcomes.measured, "", int),
    Column("workloads", "workloads with a time", _measured("workload"), "", int),
    Column("environments", "environments with a time", _measured("environment"), "", int),
    _bench("threads", "threads of each run", int),
    _bench("revision", "commit of the source that was measured"),
    _bench("is_dirty", "whether the source had changes that were not committed", bool),
    _machine("cpu", "processor"),
    _machine("logical_cpus", "CPUs of the machine", "", int),
    _machine("instructions", "instruction sets"),
    _machine("memory_bytes", "memory", "B", int),
    _machine("gpu", "GPU"),
    _machine("gpu_driver", "driver of the GPU"),
    _machine("system", "operating system"),
    Column("sampled", "what could be sampled of the machine's state", lambda line: sampled(line.campaign)),
    *_state("cores_busy", "cpu", ("utilisation",), "%", "use of the run's cores"),
    *_state("others_share", "cpu", ("others_share",), "%", "share of other processes"),
    Column("slowed_share", "share of blocks that began beside a neighbour",
           lambda line: line.campaign.outcomes.slowed_share,
           "1", float),
    *_state("frequency", "cpu", ("frequency_lowest_mhz", "frequency_mean_mhz"), "MHz", "frequency of the cores"),
    *_state("load", "cpu", ("load_highest",), "", "load of the system"),
    *_state("swap", "cpu", ("swap_highest_bytes",), "B", "swap in use"),
    *_state("free_memory", "cpu", ("free_memory_lowest_bytes",), "B", "memory left"),
    *_state("sm_clock", "gpu", ("sm_clock_lowest_mhz", "sm_clock_mean_mhz"), "MHz", "clock of the GPU"),
    *_state("gpu_power", "gpu", ("power_mean_w",), "W", "mean power of the GPU"),
    *_state("gpu_temperature", "gpu", ("temperature_highest_c",), "°C", "temperature of the GPU"),
    Column("gpu_throttled", "reasons that held the GPU down", _throttled),
    _change("cells", "cells that it gave a time", lambda own: own.cells, int),
    _change("cells_shown", "cells whose rounds count today", lambda own: own.shown, int),
    _change("new_workloads", "workloads that the machine had no time for", lambda own: own.workloads),
    _change("new_environments", "environments that the machine had no time for", lambda own: own.environments),
    _change("cells_added", "cells whose rounds join older ones", lambda own: own.added, int),
    _change("cells_afresh", "cells of other code, versions or ways to measure", lambda own: own.afresh, int),
    _change("kept", "cells without a time this time that keep an older one", lambda own: [
        f"{count}: {why}" for why, count in own.kept.items()]),
    _change("versions", "versions that changed", lambda own: [
        f"{title}: {what} {before} → {now}" for title, what, before, now in own.versions]),
    _change("measured_code", "environments whose measured code changed, with the workloads", lambda own: [
        f"{name}: {', '.join(names)}" for name, names in own.code.items()]),
], _campaigns)  # fmt: skip


def _own(name: str, about: str, kind: type = str, unit: str = "") -> Column:
    return Column(name, about, lambda line: line.values.get(name), unit, kind)


INSTALLED = Table("installed.csv", "Every environment of each machine as its newest campaign found it installed.",
                  ["machine", "name"], [
    *KEY,
    _own("name", "name of the environment"),
    _own("title", "title of the environment"),
    _own("framework", "name of the framework"),
    _own("python", "version of Python"),
    _own("device", "cpu or gpu"),
    Column("loaded", "versions that were loaded", lambda line: named(line.values["loaded"])),
    Column("variables", "environment variables that were set", lambda line: named(line.values["variables"])),
    Column("packages", "all packages", lambda line: named(line.values["packages"])),
    Column("libraries", "shared libraries", lambda line: line.values["libraries"]),
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
    _own("matmul_flops_s", "floating-point operations in a second, in a large matrix product", float, "1/s"),
    _own("copy_bytes_s", "bytes read and written in a second, in a large array", float, "B/s"),
    Column("share", "share of the best product", _share, "1", float),
    _own("reason", "why there is no number"),
], _lines("ceilings"))  # fmt: skip


ANSWERS = Table("device_answers.csv", "What a program computed on a device or in a precision, and its errors.",
                ["machine", "campaign", "workload", "optimizer", "precision", "device", "environment", "mode"], [
    *KEY,
    *(_own(name, f"{name}, as in cells.csv")
      for name in ("workload", "optimizer", "precision", "device", "environment", "mode")),
    Column("errors", "largest relative errors by quantity", lambda line: [
        f"{kind} {error:.1e}" for kind, error in line.values["errors"].items() if error is not None]),
    _own("status", "ok: right"),
    _own("reason", "what is wrong"),
], _lines("answers"))  # fmt: skip

TABLES = [CAMPAIGNS, INSTALLED, CEILINGS, ANSWERS]
