"""What loaders bring and whether the network waits: a table of loaders by environment for each network that was fed."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from statistics import mean, median
from typing import Any

import pandas as pd

from analysis import units
from analysis.estimate import aggregate
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.site.pages import Found, columns, with_bounds
from analysis.text import html, loaders, sentences
from analysis.text.html import Markup
from analysis.units import workload_title
from bench.ablations import SIGN
from bench.cases import FED

FILES = "image_files"
HANDED_OUT_S = 1e-3  # a pass over parts of an array that is there: it has no pace of its own
PER_SECOND = units.Unit("per second", 1.0)
CAPTION = (
    "Photographs per second. Small print: 99 % interval; what the loader gives with nothing behind it, in its first "
    "pass too, when files come from the disk and its workers start, and how much it reads for that; the share of "
    "the time that the network waits, and for which a step had no batch yet, where the loop is ours; how many cores "
    "were busy; of a converted data set its size, and after how many passes that has paid"
)

USE = (
    "Per cent of the time that the GPU was at work, as its driver says, in passes after the first, which compiles: a "
    "mean over runs. Small print: the least and the most of a run"
)


def answers(found: Found, workloads: Sequence[str], machine: str) -> list[Estimates]:
    """Return what was fed on a machine, of some networks, in their order."""
    own = [each for each in found.changed
           if each.question.task in FED and each.question.machine == machine and each.measured]  # fmt: skip
    return sorted((each for each in own if each.question.workload in workloads),
                  key=lambda each: workloads.index(each.question.workload))  # fmt: skip


def table(found: Found, answer: Estimates) -> Markup:
    """Return a question's loaders by environment."""
    runs = aggregate.runs_of(found.results.ablations.runs, answer.question)
    lie = units.listing(sorted(set(runs["storage"].dropna())))
    of = f"{CAPTION}; the files lie on {lie}" if lie else CAPTION
    return _by_environment(found, answer, of, partial(_cell, found, answer))


def use(found: Found, answer: Estimates) -> tuple[str, Markup] | None:
    """Return for what share of the time each loader kept a GPU at work, and who did least and most; or None.

    None where no GPU was sampled, or no run was long enough for a sample.
    """
    shares = {cell.row: _shares_of_gpu(_runs(found, answer, cell)) for cell in answer.measured}
    known = [(mean(shares[cell.row]), cell) for cell in answer.measured if shares[cell.row]]
    if not known:
        return None

    def told(cell: Cell | None, _: Cell | None) -> Markup:
        own = shares.get(cell.row) if cell else None
        if not own:
            return html.element("span", "not measured" if own is None else "too short to be sampled", kind="gap")
        bounds = " to ".join(f"{100 * pick(own):.0f}" for pick in (min, max))
        return with_bounds(f"{100 * mean(own):.0f}", bounds if len(own) > 1 else "one run")

    extremes = (pick(known, key=lambda each: each[0]) for pick in (min, max))
    least, most = (
        f"{100 * share:.0f} % ({cell.title}, {loaders.named(loaders.fed_by(cell))})" for share, cell in extremes
    )
    finding = f"{workload_title(answer.question.workload)} keeps the GPU at work for {least} to {most} of the time."
    return finding, _by_environment(found, answer, USE, told)


Told = Callable[[Cell | None, Cell | None], Markup]  # of a loader, and of what reads the files there


def _by_environment(found: Found, answer: Estimates, of: str, told: Told) -> Markup:
    """Return a table of loaders by environment, of what is told of each."""
    titles = {cell.row[0]: cell.title for cell in answer.measured}
    variants = sorted({loaders.fed_by(cell) for cell in answer.measured})
    cells = {(cell.row[0], loaders.fed_by(cell)): cell for cell in answer.cells}
    files = {variant: SIGN.join(filter(None, (loaders.alone(variant), FILES))) for variant in variants}
    rows = [
        [loaders.named(each), *(told(cells.get((name, each)), cells.get((name, files[each]))) for name in titles)]
        for each in variants
    ]
    about = f"{workload_title(answer.question.workload)}: {sentences.question(answer.question)}"
    caption = f"{about}. {of}; {columns.where(found, [answer])}."
    return html.table(html.safe(caption, len(caption)), ("loader", *titles.values()), rows, "answers times")


def _runs(found: Found, answer: Estimates, cell: Cell) -> pd.DataFrame:
    return aggregate.of_row(aggregate.runs_of(found.results.ablations.runs, answer.question), cell.row)


def _cell(found: Found, answer: Estimates, cell: Cell | None, files: Cell | None) -> Markup:
    """Return a loader in an environment; `files` is what reads the files there, which a converted data set is worth."""
    if cell is None or cell.time is None:
        return html.element("span", html.safe(cell.reason if cell else "none in this framework", 160), kind="gap")
    rate = loaders.rate(answer, cell.time)
    runs = _runs(found, answer, cell)
    notes = (*_loading(answer, runs), *_waiting(answer, cell), *_without_a_batch(runs), *_cores(runs),
             *_converting(runs, cell, files))  # fmt: skip
    told = with_bounds(PER_SECOND(rate.value), units.between(rate, PER_SECOND))
    return html.join([told, *(html.element("small", note) for note in notes)])


def _loading(answer: Estimates, runs: pd.DataFrame) -> list[str]:
    seconds = [each for own in runs["loading_s"] if isinstance(own, list) for each in own]
    if not seconds or median(seconds) <= HANDED_OUT_S:
        return []
    cold = list(runs["loading_cold_s"].dropna())
    rates = [PER_SECOND(loaders.photographs(answer) / median(each)) for each in (seconds, cold) if each]
    sizes = list(runs["loading_bytes"].dropna())
    read = [f"{sizes[-1] / 2**20 / median(seconds):.0f} MiB a second"] if sizes else []
    return ["alone " + ", at first ".join(rates), *read]


def _waiting(answer: Estimates, cell: Cell) -> list[str]:
    share = loaders.waits(answer, cell)
    if share is None:
        return []
    value, low, high = (f"{100 * max(each, 0.0):.0f}" for each in (share.value, *share.bounds))
    return [f"waits {value} %" + (f", {low} to {high} %" if share.low is not None else "")]


def _without_a_batch(runs: pd.DataFrame) -> list[str]:
    """Return for what share of its passes, but the first, a step had no batch yet, as it was measured."""
    known = [(waited, whole) for waiting, wholes in zip(runs["waiting_s"], runs["epoch_s"], strict=True)
             if isinstance(waiting, list) for waited, whole in zip(waiting[1:], wholes[1:], strict=False)]  # fmt: skip
    return [f"no batch {100 * sum(w for w, _ in known) / sum(t for _, t in known):.0f} %"] if known else []


def _samples(runs: pd.DataFrame) -> Iterator[list[Any]]:
    """Yield each run's samples of the machine after its first pass: [[seconds, cores, share of the GPU], ...]."""
    for samples, seconds in zip(runs["utilization"], runs["epoch_s"], strict=True):
        if isinstance(samples, list):
            yield [each for each in samples if each[0] > seconds[0]]


def _cores(runs: pd.DataFrame) -> list[str]:
    known = [mean(cores for _, cores, _ in own) for own in _samples(runs) if own]
    return [f"{mean(known):.1f} cores"] if known else []


def _shares_of_gpu(runs: pd.DataFrame) -> list[float]:
    """Return the mean share of each run that was sampled."""
    known = ([share for *_, share in own if share is not None] for own in _samples(runs))
    return [mean(own) for own in known if own]


def _converting(runs: pd.DataFrame, cell: Cell, files: Cell | None) -> list[str]:
    """Return how large a data set is once it is converted, and after how many passes converting it has paid."""
    known = runs[["conversion_s", "conversion_bytes"]].dropna()
    if known.empty:
        return []
    seconds, size = float(known["conversion_s"].median()), float(known["conversion_bytes"].median())
    told = [f"{size / 2**20:.0f} MiB"]
    if cell.time and files and files.time:
        gain = files.time.value - cell.time.value
        passes = math.ceil(seconds / gain) if gain > 0 else 0
        told.append({0: "never pays", 1: "pays after a pass"}.get(passes, f"pays after {passes:,} passes"))
    return told
