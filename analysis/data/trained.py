"""Means over questions, and training over data sets: means.csv, training.csv, loops.csv, compiling.csv, loaders.csv."""

import math
from collections.abc import Iterator, Sequence
from statistics import mean, median
from typing import NamedTuple

import pandas as pd

from analysis.articles import ARTICLES
from analysis.data import cells
from analysis.data.cells import key_columns
from analysis.data.schema import ASKED, Column, Row, Table, asked, bounded, count, measure
from analysis.estimate import aggregate, crosscheck, training
from analysis.estimate.aggregate import first_step_s, step_s
from analysis.estimate.cells import Cell
from analysis.estimate.contrasts import Contrast, compiling_contrasts, loop_contrasts, with_known_compiler
from analysis.estimate.crosscheck import Check
from analysis.estimate.estimates import Estimates, among
from analysis.found import Found
from analysis.groups import collected, grouped
from analysis.load.table import Results
from analysis.text import loaders, sentences
from bench import registry
from bench.cases import EPOCHS, FED, STEPS


class Mean(NamedTuple):
    """A competitor's mean over questions."""

    over: str  # what the mean is over: an article's section, or all workloads
    measure: str
    network: str  # empty: over several
    facets: list[str]
    answer: Estimates
    cell: Cell
    check: Check | None = None


def _means(found: Found) -> Iterator[Mean]:
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
        environments = collected((name, own) for (where, own), name in frameworks.items() if where == machine)
        for name, names in sorted(environments.items()):
            both = [
                [
                    among(answer, own)
                    for answer in answers
                    if (own := [cell for cell in answer.cells if cell.row[0] in names])
                ]
                for answers in (today, every)
            ]
            most = max(both, key=lambda answers: len({cell.row for answer in answers for cell in answer.cells}))
            yield from _over_workloads(found, f"all workloads, {name} alone", most)


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


MEANS = Table("means.csv", "Means over several questions, in the rounds that have all of them.",
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
], _means)  # fmt: skip


def _rows(found: Found) -> Iterator[Row]:
    """Yield each cell with what its training reached."""
    measured = (at for at in cells.rows(found) if at.cell.time and at.asked.task in EPOCHS)
    for rows in grouped(measured, lambda at: id(at.answer)).values():
        trained = training.trained(found.results.runs, rows[0].answer)
        yield from ({"at": at, "trained": trained, "own": trained.summaries[at.cell.row]}
                    for at in rows if at.cell.row in trained.summaries)  # fmt: skip


def _parts(name: str, about: str, way: str) -> list[Column]:
    return [measure(f"{name}_{cache}_s", f"{about}, {words}", f"own.start.{way}.{cache}", "s")
            for cache, words in (("cold", "compiler caches emptied"), ("warm", "with an earlier run's caches"))
            ]  # fmt: skip


TRAINING = Table("training.csv", "What each training over a data set reached, and the parts of its start.",
                 cells.KEY, [
    *key_columns("at."),
    Column("score", "what is scored", "trained.score"),
    measure("final", "score after the last epoch: a mean over rounds", "own.final"),
    Column("agreement", "whether the end agrees with that of the others", "own.agreement"),
    measure("to_target_s", "time until the target", "own.reached.seconds", "s"),
    count("to_target_steps", "steps until the target", "own.reached.steps"),
    Column("to_target", "the same in words, or why there is none",
           lambda row: training.to_target(row["trained"].scale, row["own"])),
    count("same_steps", "steps whose losses are those of all", "own.alike.steps"),
    count("of_steps", "steps", "own.alike.of"),
    measure("guessing", "score of guessing", "trained.scale.guessing"),
    measure("attainable", "best possible score on a stand-in", "trained.scale.attainable"),
    measure("target", "score of the target", "trained.scale.target"),
    Column("not_judged", "why scores are not judged", "trained.scale.reason"),
    measure("import_s", "import", "own.start.import_s", "s"),
    measure("build_s", "model, optimiser and weights", "own.start.build_s", "s"),
    *_parts("first_step", "first step", "first_step_s"),
    *_parts("rest", "rest of the first epoch", "rest_s"),
    *_parts("first_epoch", "first epoch", "first_epoch_s"),
    *_parts("until_first_epoch_ends", "from the start of the process", "whole_s"),
    *_parts("more_than_a_later_epoch", "first epoch less a later one", "more_s"),
], _rows)  # fmt: skip


def _contrast(about: str, way: str = "ratio") -> list[Column]:
    return [*bounded("ratio", about, way), count("rounds", "rounds that both share", f"{way}.rounds")]


LOOPS = Table("loops.csv", "What a framework's own training loop costs beside the hand-written one.",
              [*ASKED, "environment", "modes"], [
    *asked("question"),
    Column("environment", "name of the environment", "left.cell.row.0"),
    Column("title", "title of the environment", "left.cell.title"),
    Column("modes", "modes of both ways"),
    *_contrast("epoch by the framework's loop over one by the hand-written loop"),
], lambda found: loop_contrasts(found.results, found.answers))  # fmt: skip


def _compiling(found: Found) -> Iterator[Row]:
    """Return each contrast of compiling, with when it pays."""
    steps = [answer for answer in found.answers if answer.question.task in STEPS]
    return ({"contrast": contrast, "pays_after": pays_after(with_known_compiler(found.results), contrast)}
            for contrast in compiling_contrasts(found.results, steps))  # fmt: skip


def pays_after(results: Results, contrast: Contrast) -> str | None:
    """Return after how many steps the longer first step is earned back, or "never"; None if that is not known."""
    firsts, steps = ([side.times(results, measure) for side in (contrast.left, contrast.right)]
                     for measure in (first_step_s, step_s))  # fmt: skip
    if not set.intersection(*map(set, firsts)):
        return None
    (plain_first, first), (plain, compiling) = ([median(times.values()) for times in both] for both in (firsts, steps))
    price, gain = first - plain_first, plain - compiling
    if price <= 0:
        return "0"
    return str(math.ceil(price / gain)) if gain > 0 else "never"


COMPILING = Table("compiling.csv", "What compiling is worth in each environment that runs both ways.",
                  [*ASKED, "environment", "modes"], [
    *asked("contrast.question"),
    Column("environment", "title of the environment", "contrast.left.cell.title"),
    Column("modes", "modes without and with a compiler", "contrast.modes"),
    *_contrast("time of a step without a compiler over time with one", "contrast.ratio"),
    Column("pays_after", "steps until the longer first step is earned back"),
], _compiling)  # fmt: skip


def _fed(found: Found) -> Iterator[Row]:
    """Yield the cells that a loader fed, or the network alone, with what was measured of their runs."""
    for at in cells.rows(found):
        if at.asked.task in FED:
            runs = aggregate.of_row(aggregate.runs_of(found.results.ablations.runs, at.asked), at.cell.row)
            cores, gpu_shares = (_shares(runs, place) for place in (1, 2))
            yield {
                "at": at,
                "waits": loaders.waits(at.answer, at.cell) if at.cell.time else None,
                "loading_s": _median(runs["loading_s"].explode()),
                "without_a_batch": _no_batch(runs),
                "cores": mean(cores) if cores else None,
                "gpu_share": mean(gpu_shares) if gpu_shares else None,
                "gpu_share_least": min(gpu_shares, default=None),
                "gpu_share_most": max(gpu_shares, default=None),
                "storage": sorted(set(runs["storage"].dropna())),
                **{name: _median(runs[name])
                   for name in ("loading_cold_s", "loading_bytes", "conversion_s", "conversion_bytes")},
            }  # fmt: skip


def _shares(runs: pd.DataFrame, place: int) -> list[float]:
    """Return a mean over samples after the first pass for each run: cores (1) or the share of the GPU (2)."""
    kept = ([sample[place] for sample in samples if sample[0] > epoch_s[0] and sample[place] is not None]
            for samples, epoch_s in zip(runs["utilization"], runs["epoch_s"], strict=True)
            if isinstance(samples, list))  # fmt: skip
    return [mean(values) for values in kept if values]


def _median(values: pd.Series) -> float:
    """Return the median of the known values, NaN if there are none."""
    return float(pd.to_numeric(values).median())


def _no_batch(runs: pd.DataFrame) -> float | None:
    passes = [both for waiting_s, epoch_s in zip(runs["waiting_s"], runs["epoch_s"], strict=True)
              if isinstance(waiting_s, list) for both in zip(waiting_s[1:], epoch_s[1:], strict=False)]  # fmt: skip
    total_s = math.fsum(pass_s for _, pass_s in passes)
    return math.fsum(waited_s for waited_s, _ in passes) / total_s if total_s else None


LOADERS = Table("loaders.csv", "Every loader that fed a network: its rate, and for how long the network waited.",
                cells.KEY, [
    *key_columns("at."),
    Column("loader", "the loader and what else was changed",
           lambda row: loaders.named(loaders.fed_by(row["at"].cell))),
    *bounded("throughput", "photographs per second", lambda row: cells.throughput(row["at"]), "1/s"),
    measure("loading_s", "a pass of the loader alone", unit="s"),
    measure("loading_cold_s", "its first pass", unit="s"),
    measure("loading_bytes", "bytes that it reads in a pass", unit="B"),
    *bounded("waits", "share of its time that the network waits", "waits"),
    measure("without_a_batch", "share of the time for which a step had no batch yet"),
    measure("cores", "cores that were busy", unit=""),
    measure("gpu_share", "share of the time that the GPU was at work"),
    measure("gpu_share_least", "the least of a run"),
    measure("gpu_share_most", "the most of a run"),
    measure("conversion_s", "time to convert the data set", unit="s"),
    measure("conversion_bytes", "size of the converted data set", unit="B"),
    Column("storage", "where the files lie"),
], _fed)  # fmt: skip

TABLES = [TRAINING, LOOPS, COMPILING, LOADERS, MEANS]
