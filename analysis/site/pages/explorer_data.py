"""Every published cell as columns: what the explorer reads, so that no statistics is left to a browser.

- `cells`, `measured`: how many cells each question has, and how many of them have a time. A question's cells stand
  together, those with a time first, the fastest first.
- `facets`: what cells are chosen by. `codes` holds, for each cell, its place in `names` (as in links) and in `titles`
  (as shown).
- `measures`: a number per cell in base units, null where it is not known. Where there is `off`, the 99 % interval is
  value / off to value * off.
- `notes`: a sentence per cell: why it has no time, or what to know about the one it has; -1 where there is none.
- `fastest`: of each question's fastest cell and each other with a time, in the order (0, 1), (0, 2), ...: the second's
  time over the first's, paired within rounds, how far it may be `off`, and what may be claimed; null and -1 where no
  round has both.

A file of its own has the same of all pairs, in the order (0, 1), (0, 2), ..., (1, 2), ...: they weigh as much as all
else, and are needed by whoever compares with another than the fastest.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.pairs import Pair
from analysis.load.table import Results
from analysis.stats.interval import Interval
from analysis.text import sentences
from analysis.text.html import NAME_LENGTH, Markup, link, safe, visible
from analysis.units import workload_title
from bench import registry
from bench.cases import STEPS, Case
from bench.compiling import NOTHING

PAGES = "generated/workloads/"
DIGITS = 5  # three are shown
TASKS = {**sentences.TASKS, "epochs": "epochs, step by step", "fit": "epochs, own loop"}  # in a narrow column

Frameworks = Mapping[tuple[str, str], str]  # (machine, environment) -> framework
Table = dict[str, Any]


class At(NamedTuple):
    """A cell beside the question that it answers."""

    answer: Estimates
    cell: Cell
    framework: str


class Facet(NamedTuple):
    """What cells are chosen by: `of` gives a cell's name, as in links, and its title, as shown."""

    key: str
    title: str
    of: Callable[[Any], tuple[object, str]]  # Any: a cell beside its question here, a case on the page that compares
    is_column: bool = True
    is_single: bool = False  # one of its values at a time: they never stand in one table
    page: Callable[[str], str | None] = lambda _: None


class Measure(NamedTuple):
    """A number of a cell in base units, with its interval where it has one."""

    key: str
    title: str
    unit: str
    of: Callable[[At], float | Interval | None]
    is_shown: bool = True  # before the reader chooses


def text(data: Any) -> str:
    """Return the text of a file that a page's script reads."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False) + "\n"


def frameworks(found: Results) -> Frameworks:
    """Return which framework each environment of each machine is: as recorded, else as its folder says."""
    known = registry.environments()
    seen = found.runs[["machine", "environment", "framework"]].drop_duplicates().itertuples(index=False)
    folders = {name: each.framework for name, each in known.items()}
    return {(machine, name): recorded or folders.get(name, name) for machine, name, recorded in seen}


def columns(answers: Sequence[Estimates], known: Frameworks) -> Table:
    """Return the columns of all cells of these answers; the same answers give the same ones."""
    ordered = [answer._replace(cells=answer.by_time) for answer in answers]
    cells = [
        At(answer, cell, known[answer.question.machine, cell.row[0]]) for answer in ordered for cell in answer.cells
    ]
    return {
        "cells": [len(answer.cells) for answer in ordered],
        "measured": [len(answer.measured) for answer in ordered],
        "facets": [column(facet, cells) for facet in FACETS],
        "measures": [made for measure in MEASURES if (made := _measure(measure, cells))],
        "notes": coded([note(at.cell) for at in cells]),
        "fastest": ratios([pair for answer in ordered for pair in pairs(answer)[: max(len(answer.measured) - 1, 0)]]),
    }


def pairs(answer: Estimates) -> list[Pair | None]:
    """Return each pair of a question's cells with a time in the file's order, None where no round has both."""
    known = {(pair.a, pair.b): pair for pair in answer.pairs}
    rows = [cell.row for cell in answer.by_time if cell.time is not None]
    return [known.get((a, b)) for place, a in enumerate(rows) for b in rows[place + 1 :]]


def note(cell: Cell) -> str | None:
    """Return why a cell has no time, or what a reader must know about the one it has."""
    if cell.time is None:
        return cell.reason or cell.status
    unsteady = sentences.unsteady(cell) if cell.unsteady else None
    lost = f"{units.count(cell.lost_rounds, 'round')} without a time: {cell.reason}" if cell.lost_rounds else None
    eagerly = sentences.RAN_EAGERLY if cell.compiled == NOTHING else None
    return "; ".join(part for part in (eagerly, unsteady, lost, cell.note) if part) or None


def column(facet: Facet, cells: Sequence[Any]) -> dict[str, Any]:
    """Return what `facet` says of each of some cells, as a column of codes with names and titles in natural order.

    Of a facet with one value at a time, the one of most cells is the first.
    """
    shown = [(visible(name, NAME_LENGTH), visible(title, NAME_LENGTH)) for name, title in map(facet.of, cells)]
    cells_of = Counter(shown if facet.is_single else ())  # what is shown at first is what most cells are of
    values = sorted(set(shown), key=lambda value: (-cells_of[value], _natural(value[1]), value))
    names = [name for name, _ in values]
    pages = [facet.page(name) for name in names]
    return {
        "key": facet.key,
        "title": facet.title,
        "column": facet.is_column,
        "single": facet.is_single,
        "names": [name if names.count(name) == 1 else f"{name} {title}" for name, title in values],
        "titles": [title for _, title in values],
        **({"pages": pages} if any(pages) else {}),
        "codes": _codes(shown, values),
    }


def _natural(title: str) -> str:
    """Return a key that sorts "batch 8" before "batch 16", and a shared rank "=2" with rank 2."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(12), title.lstrip("=").lower())


def _measure(measure: Measure, cells: Sequence[At]) -> dict[str, Any] | None:
    """Return a measure's column, or None where no cell has one: a column without a number helps nobody."""
    found = [measure.of(at) for at in cells]
    values = [number(each.value if isinstance(each, Interval) else each) for each in found]
    if all(value is None for value in values):
        return None
    has_intervals = any(isinstance(each, Interval) for each in found)
    bounds = [off(each) if isinstance(each, Interval) else None for each in found]
    return {
        "key": measure.key,
        "title": measure.title,
        "unit": measure.unit,
        "shown": measure.is_shown,
        "values": values,
        **({"off": bounds} if has_intervals else {}),
    }


def ratios(found: Sequence[Pair | None]) -> dict[str, Any]:
    """Return the columns of some pairs."""
    return {
        "ratios": [number(pair.ratio.value) if pair else None for pair in found],
        "off": [off(pair.ratio) if pair else None for pair in found],
        **coded([pair.claim if pair else None for pair in found]),
    }


def coded(texts: Sequence[str | None]) -> dict[str, Any]:
    """Return texts as names and codes: their places in `names`, -1 where there is none."""
    shown = [each if each is None else visible(each) for each in texts]
    names = sorted({each for each in shown if each is not None})
    return {"names": names, "codes": _codes(shown, names)}


def _codes(values: Sequence[object], names: Sequence[object]) -> list[int]:
    places = {name: place for place, name in enumerate(names)}
    return [places.get(value, -1) for value in values]


def off(interval: Interval) -> float | None:
    """Return by what factor an interval's bounds lie off its value: it is symmetrical in the logarithm."""
    return None if interval.high is None else number(interval.high / interval.value)


def number(value: float | None) -> float | None:
    """Return a number as the file holds it: rounded, and None for what is none."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded


def page(workload: str) -> str | None:
    """Return where a workload's page is, None for one that this repository does not know."""
    return f"../{PAGES}{workload}/" if registry.has_workload(workload) else None


def workload_link(name: str, root: str = "../") -> Markup:
    """Return a workload's title, with a link to its page where it has one; `root` leads to the site's top."""
    title = workload_title(name)
    return link(f"{root}{PAGES}{name}/", title) if registry.has_workload(name) else safe(title)


def workload(about: Question | Case) -> tuple[str, str]:
    """Return the name and the title of what is asked or measured."""
    return about.workload, workload_title(about.workload)


def _rank(at: At) -> tuple[str, str]:
    rank = sentences.rank(at.answer, at.cell)
    if rank == units.NONE:
        return "none", "no rank"
    return f"{at.cell.rank} tied" if rank.startswith("=") else rank, rank


def _result(at: At) -> tuple[str, str]:
    status = "measured" if at.cell.time else at.cell.status
    return status, status.replace("_", " ")


UNRECORDED = {True: "yes, not recorded what", False: "no", None: "not recorded"}  # of runs before November 2026


def _compiled(at: At) -> tuple[str, str]:
    made = at.cell.compiled or UNRECORDED[at.cell.compiles]
    return made, made


def _asked(name: str) -> Callable[[At], tuple[object, str]]:
    return lambda at: (getattr(at.answer.question, name), str(getattr(at.answer.question, name)))


def _throughput(at: At) -> float | None:
    is_of_steps = at.answer.question.task in STEPS
    return at.answer.question.batch_size / at.cell.time.value if is_of_steps and at.cell.time else None


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share


FACETS = (
    Facet("workload", "workload", lambda at: workload(at.answer.question), page=page),
    Facet("framework", "framework", lambda at: (at.framework, at.framework), is_column=False),
    Facet("environment", "version", lambda at: (at.cell.row[0], at.cell.title)),
    Facet("mode", "mode", lambda at: (at.cell.row[1], at.cell.row[1])),
    Facet("task", "task", lambda at: (at.answer.question.task, TASKS[at.answer.question.task])),
    Facet("batch", "batch size", _asked("batch_size")),
    Facet("optimizer", "optimizer", _asked("optimizer")),
    Facet("data", "data", _asked("data")),
    Facet("precision", "precision", _asked("precision")),
    Facet("device", "device", _asked("device")),
    Facet("machine", "machine", _asked("machine")),
    Facet("threads", "threads", _asked("threads"), is_single=True),
    Facet("tier", "tier", _asked("tier"), is_single=True),
    Facet("rank", "rank", _rank),
    Facet("compiled", "compiled", _compiled, is_column=False),
    Facet("result", "result", _result, is_column=False),
)

MEASURES = (
    Measure("time", "time per step or epoch", "s", lambda at: at.cell.time),
    Measure("throughput", "examples per second", "", _throughput, is_shown=False),
    Measure("first_step_cold", "first step, cold", "s", lambda at: at.cell.first_step_cold_s),
    Measure("first_step_warm", "first step, warm", "s", lambda at: at.cell.first_step_warm_s, is_shown=False),
    Measure("memory", "memory", "B", lambda at: at.cell.memory_bytes),
    Measure("energy", "energy of the GPU per step or epoch", "J", lambda at: at.cell.used.energy_j),
    Measure("of_product", "share of a matrix product (MFU)", "%", lambda at: _percent(at.cell.used.of_product),
            is_shown=False),
    Measure("of_peak", "share of the datasheet's peak (MFU)", "%", lambda at: _percent(at.cell.used.of_peak),
            is_shown=False),
    Measure("cores", "cores used", "", lambda at: at.cell.cores, is_shown=False),
    Measure("rounds", "rounds", "", lambda at: at.cell.rounds or None),
)  # fmt: skip
