"""Estimate one question: each competitor's time with its interval, each pair's ratio, what is claimed, the ranks."""

import math
import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.estimate import best
from analysis.load import utilization
from analysis.load.campaigns import question_of
from analysis.load.history import Key
from analysis.load.table import Results
from analysis.stats import Row, interval, shared_variance
from analysis.stats.interval import Interval
from analysis.stats.shared_variance import Moments, Shared
from bench import registry
from bench.cases import Case, usual_sizes
from bench.steady import TOLERANCES

Runs = Mapping[str, Sequence[Any]]  # of one competitor: a value for each run, by column
COLUMNS = (
    "round", "campaign", "step_s", "cpu_step_s", "counted_s", "title", "is_default", "compiles", "compiled", "status",
    "reason", "cache", "first_step_s", "peak_host_memory_bytes", "peak_device_memory_bytes", "is_steady",
    "was_doubled", "proof", "day", "note", "in_turns", *utilization.COLUMNS,
)  # fmt: skip
NOTHING = "nothing"  # what a compiler made one program of, though it was asked to


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
    threads: int  # that each competitor was given

    @property
    def key(self) -> Key:
        """What the table of runs knows it by."""
        about = {name: value for name, value in self._asdict().items() if name in Case._fields}
        return self.machine, question_of(Case(environment="", mode="", layout="", **about), self.threads)

    @property
    def place(self) -> tuple[int, int, int]:
        """Where it stands among a known workload's: by optimizer, then by batch size, what is usual first.

        Raises:
            ValueError: the workload knows no such optimizer.
        """
        problem = registry.workload(self.workload)
        sizes = usual_sizes(problem, self.task, self.device)
        usual = sizes.index(self.batch_size) if self.batch_size in sizes else len(sizes)
        return [*problem.OPTIMIZERS, "none"].index(self.optimizer), usual, self.batch_size


class Pair(NamedTuple):
    """Two competitors: `ratio` is the time of `b` over the time of `a`, paired within rounds."""

    a: Row
    b: Row
    ratio: Interval
    p_alone: float  # as if no other pair were compared
    p: float  # adjusted over the question's pairs
    claim: str  # "faster", "equivalent" or "unresolved"
    error: float | None = None  # the standard error of the ratio's logarithm; None below MIN_ROUNDS
    freedom: float = 0.0  # its degrees of freedom

    @property
    def turned(self) -> "Pair":
        """The same pair, with the ratio of `a` to `b`."""
        return self._replace(a=self.b, b=self.a, ratio=self.ratio.inverse())

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
    compiles: bool | None  # whether its mode asks a compiler, and that made anything one program
    compiled: str | None  # of what a compiler made one program; None where none was asked, and of older lines
    status: str  # "ok", or that of the last run
    reason: str | None
    note: str | None  # why a newer campaign gave no time, though there is one
    days: Sequence[str]  # on which the campaigns of its times began, oldest first
    rounds: int  # with a time
    lost_rounds: int  # without one
    time: Interval | None  # seconds per step
    median_s: float | None
    cores: float | None  # processor time over wall time
    first_step_cold_s: float | None
    first_step_warm_s: float | None
    host_memory_bytes: float | None
    device_memory_bytes: float | None
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
    is_fastest: bool = False  # of those that share rounds with most others: what all are told as a multiple of

    @property
    def memory_bytes(self) -> float | None:
        """The device's peak where there is a device, else the process's."""
        return self.host_memory_bytes if self.device_memory_bytes is None else self.device_memory_bytes


class Estimates(NamedTuple):
    """The answers to one question, by rank, those without an answer last."""

    question: Question
    cells: list[Cell]
    pairs: list[Pair]
    may_be_best: Sequence[Row] = ()  # in alphabetical order: all that are behind nobody
    behind: Mapping[
        Row, float
    ] = {}  # at least how many times as long as the fastest each other takes, where it is told
    shared: Shared = shared_variance.NOTHING  # what the pairs of its machine say about the variances of these

    @property
    def measured(self) -> list[Cell]:
        """The competitors that have a time."""
        return [cell for cell in self.cells if cell.time is not None]

    @property
    def by_time(self) -> list[Cell]:
        """The competitors, the fastest first, those without a time last."""
        return sorted(self.cells, key=lambda cell: (_mean_s(cell), cell.row))

    def is_tied(self, cell: Cell) -> bool:
        """Say whether another competitor has the same rank."""
        return sum(other.rank == cell.rank for other in self.measured) > 1


class Read(NamedTuple):
    """One question's competitors, and what their rounds say of each two: all but what other questions add to that."""

    question: Question
    cells: list[Cell]
    moments: Moments


def estimate_all(results: Results) -> list[Estimates]:
    """Estimate every question on every machine, in the order of the table's names."""
    groups = results.runs.groupby([*Question._fields], sort=True)
    asked = ((Question(*key), runs) for key, runs in groups)
    found = [_read(about._replace(batch_size=int(about.batch_size), threads=int(about.threads)), _by_row(runs))
             for about, runs in asked]  # fmt: skip
    alike: dict[tuple[str, int], list[Moments]] = {}
    for each in found:
        alike.setdefault((each.question.machine, each.question.threads), []).append(each.moments)
    shared = {key: shared_variance.fit(own) for key, own in alike.items()}
    return [_estimated(each, shared[each.question.machine, each.question.threads]) for each in found]


def usual_threads(answers: Sequence[Estimates]) -> int:
    """Return the number of threads that most questions were answered with in turns, else alone; 0 where none was."""
    known = [each for each in answers if each.measured]
    counts = {
        threads: (
            sum(any(cell.in_turns for cell in each.measured) for each in known if each.question.threads == threads),
            sum(each.question.threads == threads for each in known),
        )
        for threads in {each.question.threads for each in known}
    }
    return max(counts, key=lambda threads: (counts[threads], threads), default=0)


def first_questions(answers: Sequence[Estimates]) -> list[Estimates]:
    """Return of each known workload, the lightest first, the question with its first batch size and optimizer.

    Where it was asked with several numbers of threads, that with the usual one.
    """
    found, threads = [], usual_threads(answers)
    for name in registry.workload_names():
        own = sorted(
            of_workload(answers, name),
            key=lambda each: (
                each.question.task != "train",
                each.question.place,
                not each.measured,
                each.question.threads != threads,
            ),
        )
        found.extend(own[:1])
    return found


def of_workload(answers: Sequence[Estimates], name: str) -> list[Estimates]:
    """Return the answers to a known workload's questions, but for optimizers that it does not know."""
    optimizers = [*registry.workload(name).OPTIMIZERS, "none"]
    return [each for each in answers if each.question.workload == name and each.question.optimizer in optimizers]


def in_default_mode(answer: Estimates) -> Estimates:
    """Keep only competitors in their documented default mode, as if no others had been compared."""
    cells = [cell for cell in answer.cells if cell.is_default]
    kept = {cell.row for cell in cells}
    pairs = [pair for pair in answer.pairs if kept >= {pair.a, pair.b}]
    return _judged(answer.question, cells, pairs, answer.shared)


def _by_row(runs: pd.DataFrame) -> dict[Row, Runs]:
    columns = {name: runs[name].tolist() for name in COLUMNS}
    places: dict[Row, list[int]] = {}
    for place, row in enumerate(zip(runs["environment"].tolist(), runs["mode"].tolist(), strict=True)):
        places.setdefault(row, []).append(place)
    return {row: taken(columns, own) for row, own in places.items()}


def taken(runs: Runs, places: Sequence[int]) -> Runs:
    """Return some of these runs."""
    return {name: [values[place] for place in places] for name, values in runs.items()}


def estimate_rows(question: Question, runs: Mapping[Row, Runs], shared: Shared = shared_variance.NOTHING) -> Estimates:
    """Estimate one question from the runs of each competitor, which have COLUMNS."""
    return _estimated(_read(question, runs), shared)


def _read(question: Question, runs: Mapping[Row, Runs]) -> Read:
    cells = [_cell(row, runs[row], question.device) for row in sorted(runs)]
    ordered = sorted((cell for cell in cells if cell.time is not None), key=_mean_s)
    campaigns = {number: name for own in runs.values()
                 for number, name in zip(own["round"], own["campaign"], strict=True)}  # fmt: skip
    times = {cell.row: step_s(runs[cell.row]) for cell in ordered}
    return Read(
        question, cells, shared_variance.moments(times, campaigns, {cell.row: cell.in_turns for cell in ordered})
    )


def _estimated(read: Read, shared: Shared) -> Estimates:
    return _judged(read.question, read.cells, _pairs(read.moments, shared), shared)


def _judged(question: Question, cells: Sequence[Cell], pairs: Sequence[Pair], shared: Shared) -> Estimates:
    """Adjust what is claimed over these pairs, and give ranks to those that share rounds, directly or through others.

    Rank 1 is who may be the fastest; that of another is one more than the number claimed to be faster, and 2 at least.
    """
    adjusted = _adjusted(pairs)
    fastest, faster = _fastest(cells, adjusted), beaten_by(adjusted)
    rows = sorted(_connected(fastest.row, adjusted)) if fastest else []
    found = best.of(rows, adjusted)
    ahead = [row for row in rows if not faster.get(row)]
    may_be_best = [row for row in ahead if row in found.may_be] or ahead
    ranks = {row: 1 if row in may_be_best else max(2, 1 + len(faster.get(row, ()))) for row in rows}
    to_fastest = _to(fastest, adjusted)
    ranked = [
        cell._replace(rank=ranks.get(cell.row), to_fastest=to_fastest.get(cell.row), is_fastest=cell is fastest)
        for cell in cells
    ]
    behind = {row: least for row, least in found.behind.items() if row not in may_be_best}
    ordered = sorted(ranked, key=lambda cell: (cell.rank or len(cells) + 1, _mean_s(cell), cell.row))
    return Estimates(question, ordered, adjusted, may_be_best, behind, shared)


def is_missing(value: object) -> bool:
    """Say whether a value of a column is none: None, or what a column of numbers has in its place."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def step_s(runs: Runs) -> dict[int, float]:
    """Return a competitor's seconds per step by round."""
    both = zip(runs["round"], runs["step_s"], strict=True)
    return {int(number): float(value) for number, value in both if not is_missing(value)}


def compare(times: Mapping[Row, Mapping[int, float]]) -> list[Pair]:
    """Compare each competitor with each after it, on rounds of one campaign; claims are adjusted over all pairs."""
    return estimated_pairs(shared_variance.moments(times, {}, {}), shared_variance.NOTHING)


def estimated_pairs(each: Moments, shared: Shared) -> list[Pair]:
    """Return a question's pairs with what may be claimed of them."""
    return _adjusted(_pairs(each, shared))


def _pairs(each: Moments, shared: Shared) -> list[Pair]:
    """Return each competitor beside each that it shares a round with; of none is anything claimed yet."""
    errors, freedom = shared_variance.errors(each, shared)
    ratios, p_values = interval.of_moments(each.centre, errors, freedom, each.rounds)
    return [
        Pair(*pair, ratio, p, p, "unresolved", None if math.isnan(error) else error, own)
        for pair, ratio, p, error, own in zip(
            each.pairs, ratios, p_values, errors.tolist(), freedom.tolist(), strict=True
        )
    ]


def _adjusted(pairs: Sequence[Pair]) -> list[Pair]:
    adjusted = interval.holm([pair.p_alone for pair in pairs])
    return [pair._replace(p=p, claim=interval.claim(pair.ratio, p)) for pair, p in zip(pairs, adjusted, strict=True)]


def beaten_by(pairs: Sequence[Pair]) -> dict[Row, set[Row]]:
    """Return, for each competitor, all that are claimed to be faster, directly or through one between them.

    Where lost rounds let claims run in a circle, they contradict each other: none of the circle counts within it.
    """
    direct: dict[Row, set[Row]] = {}
    for pair in pairs:
        if pair.faster is not None:
            direct.setdefault(pair.b if pair.faster == pair.a else pair.a, set()).add(pair.faster)
    rows = {row for pair in pairs for row in (pair.a, pair.b)}
    found = {row: _closure(row, direct) for row in sorted(rows)}
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


def _fastest(cells: Sequence[Cell], pairs: Sequence[Pair]) -> Cell | None:
    """Return the fastest of those that share rounds with most others."""
    shared = Counter(row for pair in pairs for row in (pair.a, pair.b))
    known = (cell for cell in cells if cell.time is not None)
    return min(known, key=lambda cell: (-shared[cell.row], _mean_s(cell), cell.row), default=None)


def _connected(row: Row, pairs: Sequence[Pair]) -> set[Row]:
    """Return who shares rounds with a competitor, itself or through others."""
    beside: dict[Row, set[Row]] = {}
    for pair in pairs:
        beside.setdefault(pair.a, set()).add(pair.b)
        beside.setdefault(pair.b, set()).add(pair.a)
    return {row} | _closure(row, beside)


def _to(fastest: Cell | None, pairs: Sequence[Pair]) -> dict[Row, Pair]:
    """Return the pair of each that shares rounds with the fastest: over its time."""
    own = [pair for pair in pairs if fastest and fastest.row in (pair.a, pair.b)]
    turned = (pair if fastest and pair.a == fastest.row else pair.turned for pair in own)
    return {pair.b: pair for pair in turned}


def _mean_s(cell: Cell) -> float:
    return float("inf") if cell.time is None else cell.time.value


def _cell(row: Row, runs: Runs, device: str) -> Cell:
    everything, step_s = range(len(runs["round"])), runs["step_s"]
    lost = [place for place in everything if is_missing(step_s[place])]
    ok = taken(runs, [place for place in everything if not is_missing(step_s[place])])
    last = _last(runs, everything)
    rounds = len(ok["step_s"])
    compiles = runs["compiles"][last]
    compiled = [None, *(each for each in ok["compiled"] if not is_missing(each))][-1]
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
        cores=median(_cores(ok)),
        first_step_cold_s=median(_first_steps(ok, "cold")),
        first_step_warm_s=median(_first_steps(ok, "warm")),
        host_memory_bytes=median(ok["peak_host_memory_bytes"]),
        device_memory_bytes=median(ok["peak_device_memory_bytes"]),
        used=utilization.Shares(**{name: median(ok[name]) for name in utilization.COLUMNS}),
        proofs=sorted({str(proof) for proof in ok["proof"] if not is_missing(proof)}),
        in_turns=any(ok["in_turns"]),
        spread=_spread(ok["counted_s"]),
        **_steadiness(ok, device),
        doubled=sum(each == True for each in ok["was_doubled"]),  # noqa: E712
        rank=None,
        to_fastest=None,
    )


def _steadiness(ok: Runs, device: str) -> dict[str, Any]:
    """Return how many runs were steady: each judged by itself where it was measured alone, all as one in turns."""
    if any(ok["in_turns"]):
        towards = _towards_the_end(ok["counted_s"])
        trend = None if towards is None else _trend(towards, TOLERANCES[device])
        rounds = len(ok["step_s"])
        return {"unsteady": rounds if trend else 0, "untested": rounds if towards is None else 0, "trend": trend}
    unsteady = sum(each == False for each in ok["is_steady"])  # noqa: E712  (None is "not tested")
    return {"unsteady": unsteady, "untested": sum(map(is_missing, ok["is_steady"])), "trend": None}


def _towards_the_end(counted_s: Sequence[Sequence[float] | None]) -> Interval | None:
    """Return the ratio of a run's last third of blocks to its first, over rounds; None of too few, and of means."""
    known = [(block_s, len(block_s) // 3) for block_s in counted_s if isinstance(block_s, list)]
    ratios = [statistics.median(block_s[-third:]) / statistics.median(block_s[:third])
              for block_s, third in known if third]  # fmt: skip
    found = interval.mean(ratios) if ratios else None
    return found if found and found.low is not None else None


def _trend(towards: Interval, tolerance: float) -> float | None:
    low, high = towards.bounds
    is_beyond = abs(towards.value - 1) > tolerance and (low > 1 or high < 1)
    return towards.value - 1 if is_beyond else None


def _last(runs: Runs, places: Sequence[int]) -> int:
    """Return the place of the run of the last round; one that was never run comes after all."""
    numbers = runs["round"]
    return max(reversed(places), key=lambda place: (is_missing(numbers[place]), numbers[place]))


def _reason(runs: Runs, place: int) -> str:
    """Return why a run has no time, with its status."""
    words = str(runs["status"][place]).replace("_", " ")
    reason = runs["reason"][place]
    return words if is_missing(reason) else f"{words}: {reason}"


def _cores(runs: Runs) -> list[float]:
    both = zip(runs["cpu_step_s"], runs["step_s"], strict=True)
    return [cpu_s / step_s for cpu_s, step_s in both if not is_missing(cpu_s)]


def _first_steps(runs: Runs, cache: str) -> list[float]:
    both = zip(runs["cache"], runs["first_step_s"], strict=True)
    return [value for its_cache, value in both if its_cache == cache]


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
