"""Training over data sets: training.csv, loops.csv, compiling.csv and loaders.csv."""

import math
from collections.abc import Callable, Iterator
from statistics import mean, median
from typing import NamedTuple

import pandas as pd

from analysis.data import cells
from analysis.data.cells import At, key_columns
from analysis.data.schema import ASKED, Column, Table, asked, bounded, count, measure
from analysis.estimate import aggregate, training
from analysis.estimate.contrasts import Contrast, compiling_contrasts, loop_contrasts, with_known_compiler
from analysis.estimate.measures import first_step_s, step_s
from analysis.estimate.training import Summary, Trained
from analysis.found import Found
from analysis.load.table import Results
from analysis.stats.interval import Interval
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
        key = id(at.answer)
        if key not in known:
            known[key] = training.trained(found.results.runs, at.answer)
        if own := known[key].summaries.get(at.cell.row):
            yield Row(at, known[key], own)


CACHES = (("cold", "compiler caches emptied"), ("warm", "with an earlier run's caches"))


def _parts(name: str, about: str, way: str) -> list[Column]:
    return [measure(f"{name}_{cache}_s", f"{about}, {words}", f"own.start.{way}.{cache}", "s")
            for cache, words in CACHES]  # fmt: skip


TRAINING = Table("training.csv", "What each training over a data set reached, and the parts of its start.",
                 cells.KEY, [
    *key_columns("at."),
    Column("score", "what is scored", "trained.score"),
    measure("final", "score after the last epoch: a mean over rounds", "own.final"),
    Column("agreement", "whether the end agrees with that of the others", "own.agreement"),
    measure("to_target_s", "time until the target", "own.reached.seconds", "s"),
    count("to_target_steps", "steps until the target", "own.reached.steps"),
    Column("to_target", "the same in words, or why there is none",
           lambda row: training.to_target(row.trained.scale, row.own)),
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


def _contrast(about: str, way: str) -> list[Column]:
    return [*bounded("ratio", about, way), count("rounds", "rounds that both share", f"{way}.rounds")]


LOOPS = Table("loops.csv", "What a framework's own training loop costs beside the hand-written one.",
              [*ASKED, "environment", "modes"], [
    *asked("question"),
    Column("environment", "name of the environment", "left.cell.row.0"),
    Column("title", "title of the environment", "left.cell.title"),
    Column("modes", "modes of both ways"),
    *_contrast("epoch by the framework's loop over one by the hand-written loop", "ratio"),
], lambda found: loop_contrasts(found.results, found.answers))  # fmt: skip


class Compiling(NamedTuple):
    """A contrast of compiling, and after how many steps the longer first step is earned back."""

    contrast: Contrast
    pays_after: str | None


def _compiling(found: Found) -> Iterator[Compiling]:
    steps = [answer for answer in found.answers if answer.question.task in STEPS]
    for contrast in compiling_contrasts(found.results, steps):
        yield Compiling(contrast, pays_after(with_known_compiler(found.results), contrast))


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


def _waits(row: Fed) -> Interval | None:
    return loaders.waits(row.at.answer, row.at.cell) if row.at.cell.time else None


LOADERS = Table("loaders.csv", "Every loader that fed a network: its rate, and for how long the network waited.",
                cells.KEY, [
    *key_columns("at."),
    Column("loader", "the loader and what else was changed", lambda row: loaders.named(loaders.fed_by(row.at.cell))),
    *bounded("throughput", "photographs per second", lambda row: cells.throughput(row.at), "1/s"),
    measure("loading_s", "a pass of the loader alone", _loading_s, "s"),
    measure("loading_cold_s", "its first pass", _median("loading_cold_s"), "s"),
    measure("loading_bytes", "bytes that it reads in a pass", _median("loading_bytes"), "B"),
    *bounded("waits", "share of its time that the network waits", _waits),
    measure("without_a_batch", "share of the time for which a step had no batch yet", _no_batch),
    measure("cores", "cores that were busy", _mean_share(1), ""),
    measure("gpu_share", "share of the time that the GPU was at work", _mean_share(2)),
    measure("gpu_share_least", "the least of a run", _mean_share(2, min)),
    measure("gpu_share_most", "the most of a run", _mean_share(2, max)),
    measure("conversion_s", "time to convert the data set", _median("conversion_s"), "s"),
    measure("conversion_bytes", "size of the converted data set", _median("conversion_bytes"), "B"),
    Column("storage", "where the files lie", lambda row: sorted(set(row.runs["storage"].dropna()))),
], _fed)  # fmt: skip

TABLES = [TRAINING, LOOPS, COMPILING, LOADERS]
