"""What folders and files state: published.csv, networks.csv, defaults.csv, environments.csv and unanswered.csv."""

from collections.abc import Iterator, Mapping
from typing import Any

from analysis import kinds, literature
from analysis.articles import ARTICLES as MEASURED_AGAIN
from analysis.data.schema import Column, Row, Table, count, measure
from analysis.found import Found
from analysis.site.pages import article
from analysis.text.frameworks import folders, framework_title, matters, stated
from analysis.units import workload_title
from bench import registry
from bench.proof import parity
from bench.registry import Environment

PUBLISHED = Table("published.csv", "Every number that an article printed.",
                  ["source", "table", "workload", "framework", "hardware", "metric"], [
    Column("source", "the article"),
    Column("table", "its table or section"),
    Column("workload", "its network"),
    Column("framework", "its framework"),
    Column("hardware", "its hardware"),
    Column("metric", "what was measured"),
    Column("value", "as printed; empty where the source has none"),
    Column("unit", "unit of the value"),
    Column("note", "what the source notes"),
], lambda _: literature.figures())  # fmt: skip


def _networks(found: Found) -> Iterator[Row]:
    for name in registry.workload_names():
        yield {"workload": name, "problem": registry.workload(name), "machines": article.measuring(found, name)}


def _written_in(network: Mapping[str, Any]) -> list[str]:
    own = [each for each in registry.environments().values() if registry.answers(each, network["workload"])]
    return list(dict.fromkeys(each.framework for each in own))


NETWORKS = Table("networks.csv", "Every workload: its network and where it was measured.", ["workload"], [
    Column("workload", "name of the workload"),
    Column("title", "title", lambda row: workload_title(row["workload"])),
    Column("network", "what it is mostly made of", lambda row: kinds.kind(row["workload"])),
    count("parameters", "parameters", "problem.PARAMETERS"),
    Column("batch_sizes", "batch sizes that are asked", "problem.BATCH_SIZES"),
    Column("optimizers", "optimisers that are asked", lambda row: list(row["problem"].OPTIMIZERS)),
    Column("machines", "machines with a time"),
    Column("written_in", "frameworks with a model file", _written_in),
    Column("articles", "articles that it comes from", lambda row: [
        each.source for each in MEASURED_AGAIN.values() if row["workload"] in each.workloads]),
], _networks)  # fmt: skip


ARTICLES = Table("articles.csv", "Every article that is measured again.", ["title"], [
    Column("title", "title"),
    Column("asked", "what it asked"),
    Column("source", "the article"),
    Column("networks", "its networks", "workloads"),
    Column("measured", "those with a time here"),
], lambda found: [{**each._asdict(), "measured": article.measured(found, each)}
                  for each in MEASURED_AGAIN.values()])  # fmt: skip


def _frameworks() -> list[tuple[str, list[Environment], list[str]]]:
    """Return each framework's name, its environments, and the workloads with a model file of it."""
    known = sorted((own[0].framework, own) for own in folders().values())
    return [(name, own, registry.answered(own[0])) for name, own in known]


def _defaults(_: Found) -> Iterator[Row]:
    for name, own, answered in _frameworks():
        for key in stated():
            if key in own[0].differs:
                touched = [each for each in answered if matters(key, each)]
                yield {"framework": name, "title": framework_title(own), "key": key, "value": own[0].differs[key],
                       "workloads": touched, "answered": len(answered)}  # fmt: skip


DEFAULTS = Table("defaults.csv", "Every default of a framework that others do not share.", ["framework", "key"], [
    Column("framework", "folder of the framework"),
    Column("title", "its title"),
    Column("key", "what differs"),
    Column("value", "the default as it comes"),
    Column("workloads", "workloads that it matters to"),
    count("answered", "workloads with a model file of the framework"),
], _defaults)  # fmt: skip

ENVIRONMENTS = Table("environments.csv", "Every environment as its folder states it.", ["name"], [
    Column("name", "name of the environment"),
    Column("title", "title"),
    Column("framework", "framework"),
    Column("python", "versions of Python"),
    Column("modes", "modes, the documented one first", lambda row: [
        mode.name + " (compiles)" * bool(mode.compiles) + " (own loop)" * bool(mode.own_loop) for mode in row.modes]),
    Column("packages", "pins on any device"),
    Column("cpu", "further pins on a CPU"),
    Column("gpu", "further pins on a GPU"),
    Column("variables", "environment variables",
           lambda row: [f"{key}={value}" for key, value in row.variables.items()]),
], lambda _: registry.environments().values())  # fmt: skip


def _unanswered(_: Found) -> Iterator[Row]:
    for name, own, answered in _frameworks():
        for workload in registry.workload_names():
            if workload not in answered:
                why = own[0].unanswered.get(workload, "no model file")
                yield {"framework": name, "workload": workload, "why": why}


UNANSWERED = Table("unanswered.csv", "Every workload that a framework has no model file for, with the reason.",
                   ["framework", "workload"], [
    Column("framework", "folder of the framework"),
    Column("workload", "name of the workload"),
    Column("why", "why there is none"),
], _unanswered)  # fmt: skip

TOLERANCES = Table("tolerances.csv", "The largest relative error that passes parity, by quantity.", ["quantity"], [
    Column("quantity", "what is compared", "0"),
    measure("tolerance", "largest relative error that passes", "1"),
], lambda _: parity.TOLERANCES.items())  # fmt: skip

TABLES = [PUBLISHED, NETWORKS, ARTICLES, DEFAULTS, ENVIRONMENTS, UNANSWERED, TOLERANCES]
