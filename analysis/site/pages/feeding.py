"""What loaders bring and whether the network waits: a table of loaders by environment for each network that was fed."""

import math
from collections.abc import Sequence
from statistics import median

import pandas as pd

from analysis import units
from analysis.estimate import aggregate
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.site.pages import Found, columns, with_bounds
from analysis.text import html, loaders, sentences
from analysis.text.html import Markup
from analysis.units import workload_title
from bench import ablations
from bench.cases import FED, read_data

FILES = "image_files"
IN_MEMORY = "One batch that lies in memory: the network alone"
HANDED_OUT_S = 1e-3  # a pass over parts of an array that is there: it has no pace of its own
PER_SECOND = units.Unit("per second", 1.0)
CAPTION = (
    "Photographs per second. Small print: 99 % interval; what the loader gives with nothing behind it, in its first "
    "pass too, when files come from the disk and its workers start; the share of "
    "the time that the network waits, and for which a step had no batch yet, where the loop is ours; of a converted "
    "data set its size, and after how many passes that has paid"
)


def answers(found: Found, workloads: Sequence[str], machine: str) -> list[Estimates]:
    """Return what was fed on a machine, of some networks, in their order."""
    own = [each for each in found.changed
           if each.question.task in FED and each.question.machine == machine and each.measured]  # fmt: skip
    return sorted((each for each in own if each.question.workload in workloads),
                  key=lambda each: workloads.index(each.question.workload))  # fmt: skip


def table(found: Found, answer: Estimates) -> Markup:
    """Return a question's loaders by environment."""
    names = list(dict.fromkeys(cell.row[0] for cell in answer.measured))
    titles = {cell.row[0]: cell.title for cell in answer.measured}
    variants = sorted({ablations.split(cell.row[1])[1] for cell in answer.measured})
    by_place = {(cell.row[0], ablations.split(cell.row[1])[1]): cell for cell in answer.cells}
    rows = [[ablations.title(variant) if variant else IN_MEMORY,
             *(_cell(found, answer, by_place.get((name, variant)), by_place.get((name, FILES))) for name in names)]
            for variant in variants]  # fmt: skip
    about = f"{workload_title(answer.question.workload)}: {sentences.question(answer.question)}"
    header = ("loader", *(titles[name] for name in names))
    caption = f"{about}. {CAPTION}; {columns.where(found, [answer])}."
    return html.table(html.safe(caption, len(caption)), header, rows, "answers times")


def photographs(answer: Estimates) -> int:
    """Return how many photographs a pass has: those that fill batches."""
    size = answer.question.batch_size
    return (read_data(answer.question.data).examples or 0) // size * size


def _cell(found: Found, answer: Estimates, cell: Cell | None, files: Cell | None) -> Markup:
    """Return a loader in an environment; `files` is what reads the files there, which a converted data set is worth."""
    if cell is None or cell.time is None:
        return html.element("span", html.safe(cell.reason if cell else "none in this framework", 160), kind="gap")
    rate = cell.time.inverse().scaled(photographs(answer))
    runs = aggregate.of_row(aggregate.runs_of(found.results.ablations.runs, answer.question), cell.row)
    notes = (*_loading(answer, runs), *_waiting(answer, cell), *_without_a_batch(runs), *_converting(runs, cell, files))
    told = with_bounds(PER_SECOND(rate.value), units.between(rate, PER_SECOND))
    return html.join([told, *(html.element("small", note) for note in notes)])


def _loading(answer: Estimates, runs: pd.DataFrame) -> list[str]:
    seconds = [each for own in runs["loading_s"] if isinstance(own, list) for each in own]
    if not seconds or median(seconds) <= HANDED_OUT_S:
        return []
    cold = list(runs["loading_cold_s"].dropna())
    rates = [PER_SECOND(photographs(answer) / median(each)) for each in (seconds, cold) if each]
    return ["alone " + ", at first ".join(rates)]


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
