"""What folders and files state: published.csv, networks.csv, defaults.csv, environments.csv and unanswered.csv."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from analysis import articles, kinds, literature
from analysis.data.schema import Column, Table
from analysis.found import Found
from analysis.plugins import explained, title
from analysis.site.pages import gaps
from analysis.text.frameworks import folders, framework_title, matters, stated
from analysis.units import workload_title
from bench import registry
from bench.proof import parity


def _text(name: str, about: str, kind: type = str) -> Column:
    return Column(name, about, lambda row: getattr(row, name), "", kind)


PUBLISHED = Table("published.csv", "Every number that an article printed.",
                  ["source", "table", "workload", "framework", "hardware", "metric"], [
    _text("source", "the article"),
    _text("table", "its table or section"),
    _text("workload", "its network"),
    _text("framework", "its framework"),
    _text("hardware", "its hardware"),
    _text("metric", "what was measured"),
    _text("value", "as printed; empty where the source has none"),
    _text("unit", "unit of the value"),
    _text("note", "what the source notes"),
], lambda _: literature.figures())  # fmt: skip


class Network(NamedTuple):
    """A workload's network."""

    workload: str
    problem: Any
    machines: list[str]


def _networks(found: Found) -> Iterator[Network]:
    for name in registry.workload_names():
        yield Network(name, registry.workload(name), gaps.measuring(found, [name]))


def _written_in(network: Network) -> list[str]:
    own = [each for each in registry.environments().values() if registry.answers(each, network.workload)]
    return list(dict.fromkeys(each.framework for each in own))


NETWORKS = Table("networks.csv", "Every workload: its network and where it was measured.", ["workload"], [
    _text("workload", "name of the workload"),
    Column("title", "title", lambda row: workload_title(row.workload)),
    Column("network", "what it is mostly made of", lambda row: kinds.kind(row.workload)),
    Column("parameters", "parameters", lambda row: row.problem.PARAMETERS, "", int),
    Column("batch_sizes", "batch sizes that are asked", lambda row: list(row.problem.BATCH_SIZES)),
    Column("optimizers", "optimisers that are asked", lambda row: list(row.problem.OPTIMIZERS)),
    Column("machines", "machines with a time", lambda row: row.machines),
    Column("written_in", "frameworks with a model file", _written_in),
    Column("articles", "articles that it comes from", lambda row: [
        module.SOURCE for module in articles.found().values() if row.workload in module.WORKLOADS]),
], _networks)  # fmt: skip


class Article(NamedTuple):
    """An article and where its networks were measured."""

    module: Any
    measured: list[str]


def _articles(found: Found) -> Iterator[Article]:
    known = registry.workload_names()
    for module in articles.found().values():
        own = [name for name in module.WORKLOADS if name in known]
        yield Article(module, [name for name in own if gaps.measuring(found, [name])])


ARTICLES = Table("articles.csv", "Every article that is measured again.", ["title"], [
    Column("title", "title", lambda row: title(row.module.__doc__)),
    Column("asked", "what it asked", lambda row: explained(row.module.__doc__)),
    Column("source", "the article", lambda row: row.module.SOURCE),
    Column("networks", "its networks", lambda row: list(row.module.WORKLOADS)),
    Column("measured", "those with a time here", lambda row: row.measured),
], _articles)  # fmt: skip


class Default(NamedTuple):
    """A default of a framework."""

    framework: str
    title: str
    key: str
    value: str
    workloads: list[str]
    answered: int


def _defaults(_: Found) -> Iterator[Default]:
    for name, own in sorted((own[0].framework, own) for own in folders().values()):
        answered = [each for each in registry.workload_names() if registry.answers(own[0], each)]
        for key in stated():
            if key in own[0].differs:
                touched = [each for each in answered if matters(key, each)]
                yield Default(name, framework_title(own), key, own[0].differs[key], touched, len(answered))


DEFAULTS = Table("defaults.csv", "Every default of a framework that others do not share.", ["framework", "key"], [
    _text("framework", "folder of the framework"),
    _text("title", "its title"),
    _text("key", "what differs"),
    _text("value", "the default as it comes"),
    _text("workloads", "workloads that it matters to"),
    _text("answered", "workloads with a model file of the framework", int),
], _defaults)  # fmt: skip

ENVIRONMENTS = Table("environments.csv", "Every environment as its folder states it.", ["name"], [
    _text("name", "name of the environment"),
    _text("title", "title"),
    _text("framework", "framework"),
    _text("python", "versions of Python"),
    Column("modes", "modes, the documented one first", lambda row: [
        mode.name + " (compiles)" * bool(mode.compiles) + " (own loop)" * bool(mode.own_loop) for mode in row.modes]),
    _text("packages", "pins on any device"),
    _text("cpu", "further pins on a CPU"),
    _text("gpu", "further pins on a GPU"),
    Column("variables", "environment variables",
           lambda row: [f"{key}={value}" for key, value in row.variables.items()]),
], lambda _: registry.environments().values())  # fmt: skip


class Unanswered(NamedTuple):
    """A workload without a model file of a framework."""

    framework: str
    workload: str
    why: str


def _unanswered(_: Found) -> Iterator[Unanswered]:
    for name, own in sorted((own[0].framework, own) for own in folders().values()):
        for workload in registry.workload_names():
            if not registry.answers(own[0], workload):
                yield Unanswered(name, workload, own[0].unanswered.get(workload, "no model file"))


UNANSWERED = Table("unanswered.csv", "Every workload that a framework has no model file for, with the reason.",
                   ["framework", "workload"], [
    _text("framework", "folder of the framework"),
    _text("workload", "name of the workload"),
    _text("why", "why there is none"),
], _unanswered)  # fmt: skip

TOLERANCES = Table("tolerances.csv", "The largest relative error that passes parity, by quantity.", ["quantity"], [
    Column("quantity", "what is compared", lambda row: row[0]),
    Column("tolerance", "largest relative error that passes", lambda row: row[1], "1", float),
], lambda _: parity.TOLERANCES.items())  # fmt: skip

TABLES = [PUBLISHED, NETWORKS, ARTICLES, DEFAULTS, ENVIRONMENTS, UNANSWERED, TOLERANCES]
