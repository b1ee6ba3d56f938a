"""One competitor's answer to a question: its time with its interval, and all else that its runs tell."""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from analysis.estimate.pairs import Pair
from analysis.groups import collected
from analysis.load import utilization
from analysis.stats import Row, interval
from bench.compiling import NOTHING
from bench.measure import STEADY_WITHIN

Runs = Mapping[str, Sequence[Any]]  # of one competitor: a value for each run, by column
COLUMNS = (
    "round", "campaign", "step_s", "cpu_step_s", "counted_s", "title", "is_default", "compiles", "compiled", "status",
    "reason", "cache", "first_step_s", "peak_host_memory_bytes", "peak_device_memory_bytes", "is_steady",
    "communication_s", "was_doubled", "proof", "day", "note", "in_turns", *utilization.COLUMNS,
)  # fmt: skip


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
    compiles: bool | None  # whether its mode asks a compiler, and that made anything one program
    compiled: str | None  # of what a compiler made one program; None where none was asked, and of older lines
    status: str  # "ok", or that of the last run
    reason: str | None
    note: str | None  # why a newer campaign gave no time, though there is one
    days: Sequence[str]  # on which the campaigns of its times began, oldest first
    rounds: int  # with a time
    lost_rounds: int  # without one
    time: interval.Interval | None  # seconds per step
    median_s: float | None
    cores: float | None  # processor time over wall time
    first_step_cold_s: float | None
    first_step_warm_s: float | None
    host_memory_bytes: float | None
    device_memory_bytes: float | None  # of the first
    communication_s: float | None  # between devices, in a step
    used: utilization.Shares  # of the machine
    proofs: Sequence[str]  # of parity, that its runs with a time name
    in_turns: bool  # measured block by block with its rivals; else alone
    spread: Spread | None
    unsteady: int  # rounds that reached no steady state: all of them where there is a trend
    untested: int  # rounds too short, or too few, to tell
    trend: float | None  # in turns: by how much a block takes longer at a run's end, where that is beyond doubt
    doubled: int  # rounds that were measured for twice as long to get there
    rank: int | None
    to_fastest: Pair | None  # None of the fastest itself, and of one that shares no round with it
    is_fastest: bool = False  # of those that share rounds with most others: the base of all slow-downs

    @property
    def memory_bytes(self) -> float | None:
        """The device's peak where there is a device, else the process's."""
        return self.host_memory_bytes if self.device_memory_bytes is None else self.device_memory_bytes


def taken(runs: Runs, places: Sequence[int]) -> Runs:
    """Return some of these runs."""
    return {name: [values[place] for place in places] for name, values in runs.items()}


def is_missing(value: object) -> bool:
    """Say whether a value of a column is none: None, or what a column of numbers has in its place."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def step_s(runs: Runs) -> dict[int, float]:
    """Return a competitor's seconds per step by round."""
    both = zip(runs["round"], runs["step_s"], strict=True)
    return {int(number): float(value) for number, value in both if not is_missing(value)}


def mean_s(cell: Cell) -> float:
    """Return a competitor's time; infinity where it has none."""
    return float("inf") if cell.time is None else cell.time.value


def cell_of(row: Row, runs: Runs, device: str) -> Cell:
    """Return what a competitor's runs of one question tell: not yet its rank, or how far the fastest is."""
    everything, step_s = range(len(runs["round"])), runs["step_s"]
    lost = [place for place in everything if is_missing(step_s[place])]
    ok = taken(runs, [place for place in everything if not is_missing(step_s[place])]) if lost else runs
    last = _last(runs, everything)
    rounds = len(ok["step_s"])
    compiles = runs["compiles"][last]
    compiled = [None, *(each for each in ok["compiled"] if not is_missing(each))][-1]
    cores = [cpu_s / wall_s for cpu_s, wall_s in zip(ok["cpu_step_s"], ok["step_s"], strict=True)
             if not is_missing(cpu_s)]  # fmt: skip
    first_step_s = collected(zip(ok["cache"], ok["first_step_s"], strict=True))
    unsteady, untested, trend = _steadiness(ok, device)
    return Cell(
        row=row,
        title=str(runs["title"][last]),
        is_default=bool(runs["is_default"][last]),
        compiles=None if is_missing(compiles) else bool(compiles) and compiled != NOTHING,
        compiled=compiled,
        status="ok" if rounds else str(runs["status"][last]),
        reason=_reason(runs, _last(runs, lost)) if lost else None,
        note=None if is_missing(runs["note"][last]) else str(runs["note"][last]),
        days=sorted(set(ok["day"])),
        rounds=rounds,
        lost_rounds=len(lost),
        time=interval.mean(ok["step_s"]) if rounds else None,
        median_s=median(ok["step_s"]),
        cores=median(cores),
        first_step_cold_s=median(first_step_s.get("cold", ())),
        first_step_warm_s=median(first_step_s.get("warm", ())),
        host_memory_bytes=median(ok["peak_host_memory_bytes"]),
        device_memory_bytes=median(ok["peak_device_memory_bytes"]),
        communication_s=median(ok["communication_s"]),
        used=utilization.Shares(**{name: median(ok[name]) for name in utilization.COLUMNS}),
        proofs=sorted({str(proof) for proof in ok["proof"] if not is_missing(proof)}),
        in_turns=any(ok["in_turns"]),
        spread=_spread(ok["counted_s"]),
        unsteady=unsteady,
        untested=untested,
        trend=trend,
        doubled=sum(each == True for each in ok["was_doubled"]),  # noqa: E712
        rank=None,
        to_fastest=None,
    )


def _steadiness(ok: Runs, device: str) -> tuple[int, int, float | None]:
    """Return how many runs are unsteady, how many untested, and by how much a run's end is slower than its beginning.

    A run that was measured alone is judged by itself, all as one in turns.
    """
    if not any(ok["in_turns"]):
        unsteady = sum(each == False for each in ok["is_steady"])  # noqa: E712  (None is "not tested")
        return unsteady, sum(map(is_missing, ok["is_steady"])), None
    towards, rounds = _towards_the_end(ok["counted_s"]), len(ok["step_s"])
    if towards is None:
        return 0, rounds, None
    low, high = towards.bounds
    has_trend = abs(towards.value - 1) > STEADY_WITHIN[device] and (low > 1 or high < 1)
    return (rounds, 0, towards.value - 1) if has_trend else (0, 0, None)


def _towards_the_end(counted_s: Sequence[Sequence[float] | None]) -> interval.Interval | None:
    """Return the ratio of a run's last third of blocks to its first, over rounds; None of too few, and of means."""
    known = [(block_s, len(block_s) // 3) for block_s in counted_s if isinstance(block_s, list)]
    ratios = [statistics.median(block_s[-third:]) / statistics.median(block_s[:third])
              for block_s, third in known if third]  # fmt: skip
    found = interval.mean(ratios) if ratios else None
    return found if found and found.low is not None else None


def _last(runs: Runs, places: Sequence[int]) -> int:
    """Return the place of the run of the last round; one that was never run comes after all."""
    numbers = runs["round"]
    return max(reversed(places), key=lambda place: (is_missing(numbers[place]), numbers[place]))


def _reason(runs: Runs, place: int) -> str:
    """Return why a run has no time, with its status."""
    words = str(runs["status"][place]).replace("_", " ")
    reason = runs["reason"][place]
    return words if is_missing(reason) else f"{words}: {reason}"


def _spread(counted_s: Sequence[Sequence[float] | None]) -> Spread | None:
    known = [block_s for blocks_s in counted_s if isinstance(blocks_s, list) for block_s in blocks_s]
    if not known:
        return None
    places = np.linspace(0, 100, len(known))  # what numpy.percentile comes to, which takes eight times as long
    p5, p50, p95, p99 = np.interp((5, 50, 95, 99), places, np.sort(known)).tolist()
    return Spread(p5, p50, p95, p99, len(known))


def median(values: Sequence[float | None]) -> float | None:
    """Return the median of what is known, or None."""
    known = [value for value in values if value is not None and not math.isnan(value)]
    return float(statistics.median(known)) if known else None
