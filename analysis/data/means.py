"""Means over questions: means.csv, over an article's networks or over all workloads."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from analysis.articles import ARTICLES
from analysis.data import cells
from analysis.data.schema import Column, Table, asked, bounded, count
from analysis.estimate import aggregate, crosscheck
from analysis.estimate.cells import Cell
from analysis.estimate.crosscheck import Check
from analysis.estimate.estimates import Estimates
from analysis.found import Found
from analysis.text import sentences
from bench import registry
from bench.cases import EPOCHS


class Mean(NamedTuple):
    """A competitor's mean over questions."""

    over: str  # what the mean is over: an article's section, or all workloads
    measure: str
    network: str  # empty: over several
    facets: list[str]
    answer: Estimates
    cell: Cell
    check: Check | None = None


def _rows(found: Found) -> Iterator[Mean]:
    for name, article in ARTICLES.items():
        for part, (kind, networks) in article.means.items():
            for machine in found.results.machines:
                own = _answers(found, networks, machine)
                yield from _of_blocks(found, f"{name}: {part}", kind, own)
    yield from _geometric(found)


def _answers(found: Found, networks: Sequence[str], machine: str) -> list[Estimates]:
    """Return a machine's answers to networks; of each task those with the usual threads, or all if there are none."""
    usual, kept = found.usual_threads(machine), list[Estimates]()
    for own in (found.of(machine, name) for name in networks if registry.has_workload(name)):
        has = {each.question.task for each in own if each.measured and each.question.threads == usual}
        kept += [each for each in own if each.question.threads == usual or each.question.task not in has]
    return kept


def _of_blocks(found: Found, over: str, kind: str, answers: Sequence[Estimates]) -> Iterator[Mean]:
    is_first = kind == "first"
    number = aggregate.first_to_later if is_first else aggregate.step_s
    for block in aggregate.blocks(aggregate.over_data(answers) if is_first else aggregate.best(answers)):
        facets = [f"batch {size} with {optimizer}" for optimizer, size in
                  aggregate.facets(aggregate.averaged(found.results, block))]  # fmt: skip
        per = "an epoch" if block[0].question.task in EPOCHS else "a step"
        measure = "first epoch over a later one" if is_first else f"time of {per}"
        for network, answer in aggregate.means(found.results, block, number).items():
            yield from (Mean(over, measure, network, facets, answer, cell) for cell in answer.cells)


def _geometric(found: Found) -> Iterator[Mean]:
    """Yield the geometric means over workloads: of all default modes, and of each framework's own environments."""
    frameworks = cells.frameworks(found.results)
    for machine in found.results.machines:
        today, every = found.first(machine), found.first(machine, with_old=True)
        yield from _over_workloads(found, "all workloads", [answer for answer in today if answer.measured])
        environments: dict[str, set[str]] = {}
        for (where, environment), name in frameworks.items():
            if where == machine:
                environments.setdefault(name, set()).add(environment)
        for name, names in sorted(environments.items()):
            among = [_among(answers, names) for answers in (today, every)]
            most = max(among, key=lambda answers: len({cell.row for answer in answers for cell in answer.cells}))
            yield from _over_workloads(found, f"all workloads, {name} alone", most)


def _among(answers: Sequence[Estimates], names: set[str]) -> list[Estimates]:
    """Return the answers of some environments alone, without answers that have none of them."""
    among = (answer._replace(cells=[cell for cell in answer.cells if cell.row[0] in names],
                             pairs=[pair for pair in answer.pairs if {pair.a[0], pair.b[0]} <= names])
             for answer in answers)  # fmt: skip
    return [answer for answer in among if answer.cells]


def _over_workloads(found: Found, over: str, answers: Sequence[Estimates]) -> Iterator[Mean]:
    alike = max(aggregate.blocks(answers), key=len, default=[])
    own, rows = aggregate.shared(aggregate.of_one_campaign(found.results, alike))
    if min(len(own), len(rows)) < 2:
        return
    mean = aggregate.pooled(found.results, own, average=aggregate.geometric, rows=rows)
    pairs = [cell.to_fastest for cell in mean.cells if cell.to_fastest]
    checks = {pair.b: check for pair, check in zip(pairs, crosscheck.checks(found.results, own, pairs), strict=True)}
    facets = [answer.question.workload for answer in own]
    for cell in mean.cells:
        yield Mean(over, "geometric mean of step times", "", facets, mean, cell, checks.get(cell.row))


TABLE = Table("means.csv", "Means over several questions, in the rounds that have all of them.",
              ["machine", "over", "measure", "network", "task", "precision", "device", "threads", "tier", "data",
               "environment", "mode"], [
    Column("over", "the article's section, or all workloads"),
    Column("measure", "what is averaged"),
    Column("network", "the workload; empty: over several"),
    Column("facets", "batch sizes and optimisers, or the workloads, that the mean is over"),
    *asked("answer.question", ("machine", "task", "precision", "device", "threads", "tier", "data")),
    Column("environment", "name of the environment", "cell.row.0"),
    Column("mode", "mode", "cell.row.1"),
    Column("title", "title of the environment", "cell.title"),
    *bounded("mean", "mean over the questions", "cell.time", "s or 1"),
    *bounded("ratio", "mean over that of the fastest", "cell.to_fastest.ratio"),
    *bounded("resampled", "the ratio by the bootstrap", "check.resampled"),
    Column("rank", "rank; = is a tie", lambda row: sentences.rank(row.answer, row.cell)),
    count("rounds", "rounds that have all of the questions", "cell.rounds"),
    Column("reason", "why there is no mean", lambda row: row.cell.reason if row.cell.time is None else None),
], _rows)  # fmt: skip
