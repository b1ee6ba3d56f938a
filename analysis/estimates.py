"""Estimate one question: each competitor's time with its interval, each pair's ratio, what is claimed, the ranks."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from analysis import interval, shares
from analysis.interval import Interval
from analysis.table import QUESTION, Results

Row = tuple[str, str]  # environment, mode


class Question(NamedTuple):
    """What competitors have in common: only answers to one question on one machine are compared."""

    machine: str
    workload: str
    task: str
    precision: str
    device: str
    batch_size: int
    optimizer: str
    tier: str
    data: str


class Pair(NamedTuple):
    """Two competitors: `ratio` is the time of `b` over the time of `a`, paired within rounds."""

    a: Row
    b: Row
    ratio: Interval
    p: float  # adjusted over the question's pairs
    claim: str  # "faster", "equivalent" or "unresolved"

    @property
    def faster(self) -> Row | None:
        """The one that is claimed to be faster, or None when nothing is claimed."""
        if self.claim != "faster":
            return None
        return self.a if self.ratio.value > 1 else self.b


class Spread(NamedTuple):
    """Percentiles over the blocks of all runs of a competitor, in seconds per step; over epochs, of epochs."""

    p5: float
    p50: float
    p95: float
    p99: float
    blocks: int


class Cell(NamedTuple):
    """One competitor's answer; `time` is None, with the reason, where nothing could be measured."""

    row: Row
    title: str
    is_default: bool
    compiles: bool | None
    status: str  # "ok", or that of the last run
    reason: str | None
    rounds: int  # with a time
    lost_rounds: int  # without one
    time: Interval | None  # seconds per step
    median_s: float | None
    cores: float | None  # processor time over wall time
    first_step_cold_s: float | None
    first_step_warm_s: float | None
    host_memory_bytes: float | None
    device_memory_bytes: float | None
    used: shares.Shares  # of the machine
    spread: Spread | None
    unsteady: int  # rounds that reached no steady state
    untested: int  # rounds too short to tell
    doubled: int  # rounds that were measured for twice as long to get there
    rank: int | None
    to_fastest: Pair | None

    @property
    def memory_bytes(self) -> float | None:
        """The device's peak where there is a device, else the process's."""
        return self.host_memory_bytes if self.device_memory_bytes is None else self.device_memory_bytes


class Estimates(NamedTuple):
    """The answers to one question, by rank, those without an answer last."""

    question: Question
    cells: list[Cell]
    pairs: list[Pair]

    @property
    def measured(self) -> list[Cell]:
        """The competitors that have a time."""
        return [cell for cell in self.cells if cell.time is not None]

    def is_tied(self, cell: Cell) -> bool:
        """Say whether another competitor has the same rank."""
        return sum(other.rank == cell.rank for other in self.measured) > 1


def estimate_all(results: Results) -> list[Estimates]:
    """Estimate every question on every machine, in the order of the table's names."""
    groups = results.runs.groupby(["machine", *QUESTION], sort=True)
    return [estimate(question_of(runs), runs) for _, runs in groups]


def question_of(runs: pd.DataFrame) -> Question:
    """Return the question that all these runs answer."""
    first = runs.iloc[0]
    return Question(**{str(name): first[name] for name in Question._fields})._replace(
        batch_size=int(first["batch_size"])
    )


def estimate(question: Question, runs: pd.DataFrame) -> Estimates:
    """Estimate one question from its runs."""
    groups = {(str(name), str(mode)): rows for (name, mode), rows in runs.groupby(["environment", "mode"], sort=True)}
    cells = [_cell(row, rows) for row, rows in groups.items()]
    order = [cell.row for cell in sorted(cells, key=_mean_s) if cell.time is not None]
    pairs = compare({row: step_s(groups[row]) for row in order})
    ranked = _ranked(cells, order, pairs)
    return Estimates(
        question, sorted(ranked, key=lambda cell: (cell.rank or len(cells) + 1, _mean_s(cell), cell.row)), pairs
    )


def step_s(rows: pd.DataFrame) -> dict[int, float]:
    """Return a competitor's seconds per step by round."""
    measured = rows[rows["step_s"].notna()]
    return {int(number): float(value) for number, value in zip(measured["round"], measured["step_s"], strict=True)}


def compare(times: dict[Row, dict[int, float]]) -> list[Pair]:
    """Compare each competitor with each that comes after it; claims are adjusted over all these pairs."""
    rows = list(times)
    drafts = [(a, b, interval.paired(times[b], times[a])) for i, a in enumerate(rows) for b in rows[i + 1 :]]
    drafts = [draft for draft in drafts if draft[2]]
    adjusted = interval.holm([interval.p_value(ratios) for _, _, ratios in drafts])
    return [_pair(a, b, ratios, p) for (a, b, ratios), p in zip(drafts, adjusted, strict=True)]


def _pair(a: Row, b: Row, ratios: list[float], p: float) -> Pair:
    ratio = interval.mean(ratios)
    return Pair(a, b, ratio, p, interval.claim(ratio, p))


def beaten_by(pairs: list[Pair]) -> dict[Row, set[Row]]:
    """Return, for each competitor, all that are claimed to be faster, directly or through one between them.

    Where lost rounds let claims run in a circle, they contradict each other: none of the circle counts within it.
    """
    direct: dict[Row, set[Row]] = {}
    for pair in pairs:
        if pair.faster is not None:
            direct.setdefault(pair.b if pair.faster == pair.a else pair.a, set()).add(pair.faster)
    found = {row: _closure(row, direct) for pair in pairs for row in (pair.a, pair.b)}
    return {row: {other for other in others if row not in found[other]} for row, others in found.items()}


def _closure(row: Row, direct: dict[Row, set[Row]]) -> set[Row]:
    found: set[Row] = set()
    waiting = list(direct.get(row, ()))
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting.extend(direct.get(other, ()))
    return found - {row}


def _ranked(cells: list[Cell], order: list[Row], pairs: list[Pair]) -> list[Cell]:
    """Give each measured cell its rank (one more than the number claimed faster) and its ratio to the fastest."""
    faster = beaten_by(pairs)
    to_fastest = {pair.b: pair for pair in pairs if order and pair.a == order[0]}
    return [
        cell._replace(rank=1 + len(faster.get(cell.row, ())), to_fastest=to_fastest.get(cell.row))
        if cell.time is not None
        else cell
        for cell in cells
    ]


def _mean_s(cell: Cell) -> float:
    return float("inf") if cell.time is None else cell.time.value


def _cell(row: Row, rows: pd.DataFrame) -> Cell:
    ok = rows[rows["step_s"].notna()]
    last = rows.sort_values("round").iloc[-1]
    return Cell(
        row=row,
        title=str(last["title"]),
        is_default=bool(last["is_default"]),
        compiles=None if pd.isna(last["compiles"]) else bool(last["compiles"]),
        status="ok" if len(ok) else str(last["status"]),
        reason=_reason(rows),
        rounds=len(ok),
        lost_rounds=len(rows) - len(ok),
        time=interval.mean(ok["step_s"].tolist()) if len(ok) else None,
        median_s=_median(ok["step_s"]),
        cores=_median(ok["cpu_step_s"] / ok["step_s"]) if ok["cpu_step_s"].notna().any() else None,
        first_step_cold_s=_median(ok.loc[ok["cache"] == "cold", "first_step_s"]),
        first_step_warm_s=_median(ok.loc[ok["cache"] == "warm", "first_step_s"]),
        host_memory_bytes=_median(ok["peak_host_memory_bytes"]),
        device_memory_bytes=_median(ok["peak_device_memory_bytes"]),
        used=shares.median(ok),
        spread=_spread(ok["counted_s"]),
        unsteady=int((ok["is_steady"] == False).sum()),  # noqa: E712  (None is "not tested", which is not "unsteady")
        untested=int(ok["is_steady"].isna().sum()),
        doubled=int((ok["was_doubled"] == True).sum()),  # noqa: E712
        rank=None,
        to_fastest=None,
    )


def _spread(counted_s: pd.Series) -> Spread | None:
    known = [block_s for blocks_s in counted_s.dropna() for block_s in blocks_s]
    if not known:
        return None
    p5, p50, p95, p99 = (float(value) for value in np.percentile(known, (5, 50, 95, 99)))
    return Spread(p5, p50, p95, p99, len(known))


def _reason(rows: pd.DataFrame) -> str | None:
    """Return the last reason that a run gave for having no time, with its status; None when all have one."""
    lost = rows[rows["step_s"].isna()].sort_values("round")
    if lost.empty:
        return None
    last = lost.iloc[-1]
    words = str(last["status"]).replace("_", " ")
    return words if pd.isna(last["reason"]) else f"{words}: {last['reason']}"


def _median(values: pd.Series) -> float | None:
    known = values.dropna()
    return float(known.median()) if len(known) else None
