"""What campaigns, folders and files state: machines by campaign, articles, workloads, frameworks, environments."""

from collections.abc import Callable, Iterator
from typing import Any

from analysis import kinds, literature
from analysis.articles import ARTICLES as MEASURED_AGAIN
from analysis.compare import changes
from analysis.data.schema import Column, Row, Table, asked, count, flag, measure
from analysis.found import Found
from analysis.load.campaigns import Campaign
from analysis.site.pages import article
from analysis.text.frameworks import answering, by_framework, framework_title, matters, stated
from analysis.units import workload_title
from bench import registry
from bench.proof import parity
from bench.results import void_rules


def _campaigns(found: Found) -> Iterator[Row]:
    """Yield each campaign with its machine's short name, and what it changed where it is concluded from."""
    short, known = found.names, {id(change.campaign): change for change in changes.changes(found.results)}
    for campaign in (*found.results.shown, *found.results.left_out):
        end, outcomes, change = campaign.end, campaign.outcomes, known.get(id(campaign))
        cases = [outcome.case for outcome in outcomes.cases if outcome.rounds]
        yield {
            "campaign": campaign,
            "machine_name": short.get(campaign.machine, campaign.machine),
            "ended": end.reason if end else "interrupted",
            "rounds": end.rounds if end else outcomes.last_round,
            "void_rounds": (void_rules.told(list(campaign.voids)) or "none") if outcomes.states else "not judged",
            "workloads": len({case.workload for case in cases}),
            "environments": len({case.environment for case in cases}),
            "sampled": campaign.bench.telemetry or "not sampled: the campaign is older than the sampler",
            "gpu_throttled": sorted({word for state in outcomes.states if state.gpu
                                     for word in state.gpu.throttle_reasons}),
            "change": change,
            "kept": change and [f"{count}: {why}" for why, count in change.kept.items()],
            "versions": change and ["{}: {} {} → {}".format(*version) for version in change.versions],
            "measured_code": change and [f"{name}: {', '.join(names)}" for name, names in change.code.items()],
        }  # fmt: skip


def _lines(kind: str) -> Callable[[Found], Iterator[Row]]:
    return lambda found: (
        {"campaign": campaign, "line": line}
        for campaign in (*found.results.shown, *found.results.left_out)
        for line in getattr(campaign, kind)
    )


def _installed(found: Found) -> Iterator[Row]:
    """Yield each environment of each machine as its newest campaign found it."""
    for machine in found.results.machines:
        newest = {name: campaign for campaign in found.campaigns(machine) for name in campaign.environments}
        for name, campaign in sorted(newest.items()):
            yield {"campaign": campaign, "line": campaign.environments[name]}


def _state(name: str, device: str, fields: tuple[str, ...], unit: str, about: str) -> list[Column]:
    """Return the least and the most of some fields of the machine's state over a campaign's runs."""

    def values(row: dict[str, Campaign]) -> list[float]:
        states = [state for extremes in row["campaign"].outcomes.states if (state := getattr(extremes, device))]
        return [value for state in states for field in fields if (value := getattr(state, field)) is not None]

    least, most = f"{about}: least over runs", f"{about}: most over runs"
    return [measure(f"{name}_least", least, lambda row: min(values(row), default=None), unit),
            measure(f"{name}_most", most, lambda row: max(values(row), default=None), unit)]  # fmt: skip


KEY = [
    Column("machine", "name of the machine in the results", "campaign.machine"),
    Column("campaign", "name of the campaign: when it began, in UTC", "campaign.name"),
]

CAMPAIGNS = Table("campaigns.csv", "Every campaign: its machine, settings, state of the machine, and what it brought.",
                  2, [
    *KEY,
    Column("machine_name", "short name of the hardware"),
    Column("began", "when it began, in UTC", "campaign.began"),
    Column("profile", "smoke, quick (few rounds) or full (many rounds)", "campaign.bench.profile"),
    flag("is_published", "whether numbers are concluded from it", "campaign.is_published"),
    Column("ended", "how it ended"),
    count("rounds", "rounds that it made"),
    Column("void_rounds", "rounds that were void and repeated, or why none could be"),
    count("runs", "runs", lambda row: len(row["campaign"].runs)),
    count("measured", "runs with a time", "campaign.outcomes.measured"),
    count("workloads", "workloads with a time"),
    count("environments", "environments with a time"),
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
    count("node", "number of the node, if several equal ones measured together", "campaign.bench.node"),
    Column("sampled", "what could be sampled of the machine's state"),
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
    Column("gpu_throttled", "reasons that held the GPU down"),
    count("cells", "cells that it gave a time", "change.cells"),
    count("cells_shown", "cells whose rounds count today", "change.shown"),
    Column("new_workloads", "workloads that the machine had no time for", "change.workloads"),
    Column("new_environments", "environments that the machine had no time for", "change.environments"),
    count("cells_added", "cells whose rounds join older ones", "change.added"),
    count("cells_afresh", "cells of other code, versions or ways to measure", "change.afresh"),
    Column("kept", "cells without a time this time that keep an older one"),
    Column("versions", "versions that changed"),
    Column("measured_code", "environments whose measured code changed, with the workloads"),
], _campaigns)  # fmt: skip


def _line(name: str, about: str) -> Column:
    return Column(name, about, f"line.{name}")


def _versions(name: str, about: str) -> Column:
    """Return a column of names with the values that are known, in alphabetical order."""
    return Column(name, about, lambda row: [
        f"{key} {value}" for key, value in sorted(getattr(row["line"], name).items()) if value is not None
    ])  # fmt: skip


INSTALLED = Table("installed.csv", "Every environment of each machine as its newest campaign found it installed.",
                  ["machine", "name"], [
    *KEY,
    Column("name", "name of the environment", "line.environment"),
    _line("title", "title of the environment"),
    _line("framework", "name of the framework"),
    _line("python", "version of Python"),
    _line("device", "cpu or gpu"),
    _versions("loaded", "versions that were loaded"),
    _versions("variables", "environment variables that were set"),
    _versions("packages", "all packages"),
    _line("libraries", "shared libraries"),
], _installed)  # fmt: skip


def _share(row: Any) -> float | None:
    line = row["line"]
    best = row["campaign"].context.ceilings.get((line.device, line.precision))
    return line.matmul_flops_s / best.flops_s if best and line.matmul_flops_s is not None else None


CEILINGS = Table("ceilings.csv", "The most that each environment got out of a machine.", 5, [
    *KEY,
    _line("device", "cpu or gpu"),
    _line("precision", "precision of the matrix product"),
    _line("environment", "name of the environment"),
    measure("matmul_flops_s", "floating-point operations in a second, in a large matrix product",
            "line.matmul_flops_s", "1/s"),
    measure("copy_bytes_s", "bytes read and written in a second, in a large array", "line.copy_bytes_s", "B/s"),
    measure("share", "share of the best product", _share),
    _line("reason", "why there is no number"),
], _lines("ceilings"))  # fmt: skip


ANSWERS = Table("device_answers.csv", "What a program computed on a device or in a precision, and its errors.", 8, [
    *KEY,
    *asked("line", ("workload", "optimizer", "precision", "device", "environment", "mode")),
    Column("errors", "largest relative errors by quantity", lambda row: [
        f"{kind} {error:.1e}" for kind, error in row["line"].errors.items() if error is not None]),
    _line("status", "ok: right"),
    _line("reason", "what is wrong"),
], _lines("answers"))  # fmt: skip

OF_MACHINES = [CAMPAIGNS, INSTALLED, CEILINGS, ANSWERS]

TABLES = [
    Table("published.csv", "Every number that an article printed.", 6, [
        Column("source", "the article"),
        Column("table", "its table or section"),
        Column("workload", "its network"),
        Column("framework", "its framework"),
        Column("hardware", "its hardware"),
        Column("metric", "what was measured"),
        Column("value", "as printed; empty where the source has none"),
        Column("unit", "unit of the value"),
        Column("note", "what the source notes"),
    ], lambda _: literature.figures()),
    Table("networks.csv", "Every workload: its network and where it was measured.", 1, [
        Column("workload", "name of the workload"),
        Column("title", "title", lambda row: workload_title(row["workload"])),
        Column("network", "what it is mostly made of", lambda row: kinds.kind(row["workload"])),
        count("parameters", "parameters", "problem.PARAMETERS"),
        Column("batch_sizes", "batch sizes that are asked", "problem.BATCH_SIZES"),
        Column("optimizers", "optimisers that are asked", lambda row: list(row["problem"].OPTIMIZERS)),
        Column("machines", "machines with a time"),
        Column("written_in", "frameworks with a model file", lambda row: [
            own[0].framework for own in answering(row["workload"])]),
        Column("articles", "articles that it comes from", lambda row: [
            each.source for each in MEASURED_AGAIN.values() if row["workload"] in each.workloads]),
    ], lambda found: ({"workload": name, "problem": registry.workload(name), "machines": article.measuring(found, name)}
                      for name in registry.workload_names())),
    Table("articles.csv", "Every article that is measured again.", 1, [
        Column("title", "title"),
        Column("asked", "what it asked"),
        Column("source", "the article"),
        Column("networks", "its networks", "workloads"),
        Column("measured", "those with a time here"),
    ], lambda found: [{**each._asdict(), "measured": article.measured(found, each)}
                      for each in MEASURED_AGAIN.values()]),
    Table("defaults.csv", "Every default of a framework that others do not share.", ["framework", "key"], [
        Column("framework", "folder of the framework"),
        Column("title", "its title"),
        Column("key", "what differs"),
        Column("value", "the default as it comes"),
        Column("workloads", "workloads that it matters to"),
        count("answered", "workloads with a model file of the framework"),
    ], lambda _: ({"framework": name, "title": framework_title(own), "key": key, "value": own[0].differs[key],
                   "workloads": [each for each in registry.answered(own[0]) if matters(key, each)],
                   "answered": len(registry.answered(own[0]))}
                  for name, own in by_framework().items() for key in stated() if key in own[0].differs)),
    Table("environments.csv", "Every environment as its folder states it.", 1, [
        Column("name", "name of the environment"),
        Column("title", "title"),
        Column("framework", "framework"),
        Column("python", "versions of Python"),
        Column("modes", "modes, the documented one first", lambda row: [
            mode.name + " (compiles)" * bool(mode.compiles) + " (own loop)" * bool(mode.own_loop)
            for mode in row.modes]),
        Column("packages", "pins on any device"),
        Column("cpu", "further pins on a CPU"),
        Column("gpu", "further pins on a GPU"),
        Column("variables", "environment variables",
               lambda row: [f"{key}={value}" for key, value in row.variables.items()]),
    ], lambda _: registry.environments().values()),
    Table("unanswered.csv", "Every workload that a framework has no model file for, with the reason.", 2, [
        Column("framework", "folder of the framework"),
        Column("workload", "name of the workload"),
        Column("why", "why there is none"),
    ], lambda _: ({"framework": name, "workload": workload, "why": own[0].unanswered.get(workload, "no model file")}
                  for name, own in by_framework().items() for workload in registry.workload_names()
                  if not registry.answers(own[0], workload))),
    Table("tolerances.csv", "The largest relative error that passes parity, by quantity.", 1, [
        Column("quantity", "what is compared", "0"),
        measure("tolerance", "largest relative error that passes", "1"),
    ], lambda _: parity.TOLERANCES.items()),
]  # fmt: skip
