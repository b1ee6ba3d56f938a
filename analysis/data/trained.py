"""Training over data sets: training.csv, loops.csv, compiling.csv and loaders.csv."""

import math
from collections.abc import Callable, Iterator
from statistics import mean, median
from typing import Any, NamedTuple

import pandas as pd

from analysis.data import cells
from analysis.data.cells import At, key_columns
from analysis.data.schema import Column, Table
from analysis.estimate import aggregate, loops, training
from analysis.estimate.contrasts import Contrast, compiling_contrasts
from analysis.estimate.training import Summary, Trained
from analysis.found import Found
from analysis.text import loaders
from bench.cases import FED, STEPS


class Row(NamedTuple):
    """A cell with what its training reached."""

    at: At
    trained: Trained
    own: Summary


def _rows(found: Found) -> Iterator[Row]:
    known: dict[int, Trained] = {}
    for at in cells.rows(found):
        if at.asked.task in STEPS or at.asked.task in FED or not at.cell.time:
            continue
        if id(at.answer) not in known:
            known[id(at.answer)] = training.trained(found.results.runs, at.answer)
        if at.cell.row in known[id(at.answer)].summaries:
            yield Row(at, known[id(at.answer)], known[id(at.answer)].summaries[at.cell.row])


def of_cell(column: Column) -> Column:
    """Return a column of a cell for a row that holds one."""
    return column._replace(of=lambda row: column.of(row.at))


CACHES = (("cold", "compiler caches emptied"), ("warm", "with an earlier run's caches"))


def _parts(name: str, about: str, of: Callable[[Summary], Any]) -> list[Column]:
    return [_part(f"{name}_{cache}_s", f"{about}, {words}", of, cache) for cache, words in CACHES]


def _part(name: str, about: str, of: Callable[[Summary], Any], cache: str) -> Column:
    return Column(name, about, lambda row: of(row.own)[cache], "s", float)


TRAINING = Table("training.csv", "What each training over a data set reached, and the parts of its start.",
                 cells.KEY, [
    *map(of_cell, key_columns()),
    Column("score", "what is scored", lambda row: row.trained.score),
    Column("final", "score after the last epoch: a mean over rounds", lambda row: row.own.final, "1", float),
    Column("agreement", "whether the end agrees with that of the others", lambda row: row.own.agreement),
    Column("to_target_s", "time until the target", lambda row: row.own.reached and row.own.reached.seconds, "s", float),
    Column("to_target_steps", "steps until the target", lambda row: row.own.reached and row.own.reached.steps, "", int),
    Column("to_target", "the same in words, or why there is none",
           lambda row: training.to_target(row.trained.scale, row.own)),
    Column("same_steps", "steps whose losses are those of all",
           lambda row: row.own.alike and row.own.alike.steps, "", int),
    Column("of_steps", "steps", lambda row: row.own.alike and row.own.alike.of, "", int),
    Column("guessing", "score of guessing", lambda row: row.trained.scale.guessing, "1", float),
    Column("attainable", "best possible score on a stand-in", lambda row: row.trained.scale.attainable, "1", float),
    Column("target", "score of the target", lambda row: row.trained.scale.target, "1", float),
    Column("not_judged", "why scores are not judged", lambda row: row.trained.scale.reason),
    Column("import_s", "import", lambda row: row.own.start.import_s, "s", float),
    Column("build_s", "model, optimiser and weights", lambda row: row.own.start.build_s, "s", float),
    *_parts("first_step", "first step", lambda own: own.start.first_step_s),
    *_parts("rest", "rest of the first epoch", lambda own: own.start.rest_s),
    *_parts("first_epoch", "first epoch", lambda own: own.start.first_epoch_s),
    *_parts("until_first_epoch_ends", "from the start of the process", lambda own: own.start.whole_s),
    *_parts("more_than_a_later_epoch", "first epoch less a later one", lambda own: own.start.more_s),
], _rows)  # fmt: skip


def _asked(name: str) -> Column:
    kind = int if name in ("batch_size", "threads") else str
    return Column(name, f"{name}, as in cells.csv", lambda each: getattr(each.question, name), "", kind)


ASKED = ("machine", "workload", "task", "batch_size", "optimizer", "precision", "device", "threads", "tier", "data")


def _ratio(about: str) -> list[Column]:
    return [
        Column("ratio", about, lambda each: each.ratio.value, "1", float),
        Column("ratio_low", "lower bound of the 99 % interval", lambda each: each.ratio.low, "1", float),
        Column("ratio_high", "upper bound of the 99 % interval", lambda each: each.ratio.high, "1", float),
        Column("rounds", "rounds that both share", lambda each: each.ratio.rounds, "", int),
    ]


LOOPS = Table("loops.csv", "What a framework's own training loop costs beside the hand-written one.",
              [*ASKED, "environment", "modes"], [
    *map(_asked, ASKED),
    Column("environment", "name of the environment", lambda each: each.fit.row[0]),
    Column("title", "title of the environment", lambda each: each.fit.title),
    Column("modes", "modes of both ways", lambda each: each.modes),
    *_ratio("epoch by the framework's loop over one by the hand-written loop"),
], lambda found: loops.contrasts(found.results, found.answers))  # fmt: skip


class Compiling(NamedTuple):
    """A contrast of compiling with the contrast of first steps, where that is known."""

    each: Contrast
    first: Contrast | None

    @property
    def question(self) -> Any:
        """The question of both."""
        return self.each.question

    @property
    def ratio(self) -> Any:
        """Time without a compiler over time with one."""
        return self.each.ratio


def _compiling(found: Found) -> Iterator[Compiling]:
    asked = found.results.of(STEPS)
    cold = asked._replace(runs=asked.runs[asked.runs["cache"] == "cold"])
    firsts = {each.key: each for each in compiling_contrasts(cold, "first_step_s")}
    for each in compiling_contrasts(asked, "step_s"):
        yield Compiling(each, firsts.get(each.key))


def break_even(step: Contrast, first: Contrast | None) -> str | None:
    """Return after how many steps the longer first step is earned back, or "never"; None if that is not known."""
    if first is None:
        return None
    price, gain = (median(slow.values) - median(fast.values)
                   for slow, fast in ((first.compiling, first.plain), (step.plain, step.compiling)))  # fmt: skip
    if price <= 0:
        return "0"
    return str(math.ceil(price / gain)) if gain > 0 else "never"


COMPILING = Table("compiling.csv", "What compiling is worth in each environment that runs both ways.",
                  [*ASKED, "environment", "modes"], [
    *map(_asked, ASKED),
    Column("environment", "title of the environment", lambda row: row.each.title),
    Column("modes", "modes without and with a compiler", lambda row: row.each.modes),
    *_ratio("time of a step without a compiler over time with one"),
    Column("pays_after", "steps until the longer first step is earned back",
           lambda row: break_even(row.each, row.first)),
], _compiling)  # fmt: skip


class Fed(NamedTuple):
    """A cell that a loader fed, with its runs and the cell that reads the files there."""

    at: At
    runs: pd.DataFrame


def _fed(found: Found) -> Iterator[Fed]:
    for at in cells.rows(found):
        if at.asked.task in FED:
            runs = aggregate.runs_of(found.results.ablations.runs, at.asked)
            yield Fed(at, aggregate.of_row(runs, at.cell.row))


def _shares(row: Fed, pick: int) -> list[float]:
    """Return a mean over samples after the first pass for each run: cores (1) or the share of the GPU (2)."""
    kept = []
    for samples, seconds in zip(row.runs["utilization"], row.runs["epoch_s"], strict=True):
        if isinstance(samples, list):
            own = [each[pick] for each in samples if each[0] > seconds[0] and each[pick] is not None]
            kept += [mean(own)] if own else []
    return kept


def _mean_share(pick: int, of: Callable[[list[float]], float] = mean) -> Callable[[Fed], float | None]:
    return lambda row: of(known) if (known := _shares(row, pick)) else None


def _median(name: str) -> Callable[[Fed], float | None]:
    return lambda row: float(known.median()) if len(known := row.runs[name].dropna()) else None


def _loading_s(row: Fed) -> float | None:
    seconds = [each for own in row.runs["loading_s"] if isinstance(own, list) for each in own]
    return median(seconds) if seconds else None


def _no_batch(row: Fed) -> float | None:
    known = [both for waiting, wholes in zip(row.runs["waiting_s"], row.runs["epoch_s"], strict=True)
             if isinstance(waiting, list) for both in zip(waiting[1:], wholes[1:], strict=False)]  # fmt: skip
    total = math.fsum(whole for _, whole in known)
    return math.fsum(waited for waited, _ in known) / total if total else None


def _waits(row: Fed, name: str) -> float | None:
    share = loaders.waits(row.at.answer, row.at.cell) if row.at.cell.time else None
    return getattr(share, name) if share else None


LOADERS = Table("loaders.csv", "Every loader that fed a network: its rate, and for how long the network waited.",
                cells.KEY, [
    *map(of_cell, key_columns()),
    Column("loader", "the loader and what else was changed", lambda row: loaders.named(loaders.fed_by(row.at.cell))),
    Column("throughput", "photographs per second",
           lambda row: getattr(cells.throughput(row.at), "value", None), "1/s", float),
    Column("throughput_low", "lower bound of the 99 % interval",
           lambda row: getattr(cells.throughput(row.at), "low", None),
           "1/s", float),
    Column("throughput_high", "upper bound of the 99 % interval",
           lambda row: getattr(cells.throughput(row.at), "high", None),
           "1/s", float),
    Column("loading_s", "a pass of the loader alone", _loading_s, "s", float),
    Column("loading_cold_s", "its first pass", _median("loading_cold_s"), "s", float),
    Column("loading_bytes", "bytes that it reads in a pass", _median("loading_bytes"), "B", float),
    Column("waits", "share of its time that the network waits", lambda row: _waits(row, "value"), "1", float),
    Column("waits_low", "lower bound of the 99 % interval", lambda row: _waits(row, "low"), "1", float),
    Column("waits_high", "upper bound of the 99 % interval", lambda row: _waits(row, "high"), "1", float),
    Column("without_a_batch", "share of the time for which a step had no batch yet", _no_batch, "1", float),
    Column("cores", "cores that were busy", _mean_share(1), "", float),
    Column("gpu_share", "share of the time that the GPU was at work", _mean_share(2), "1", float),
    Column("gpu_share_least", "the least of a run", _mean_share(2, min), "1", float),
    Column("gpu_share_most", "the most of a run", _mean_share(2, max), "1", float),
    Column("conversion_s", "time to convert the data set", _median("conversion_s"), "s", float),
    Column("conversion_bytes", "size of the converted data set", _median("conversion_bytes"), "B", float),
    Column("storage", "where the files lie", lambda row: sorted(set(row.runs["storage"].dropna()))),
], _fed)  # fmt: skip

TABLES = [TRAINING, LOOPS, COMPILING, LOADERS]
