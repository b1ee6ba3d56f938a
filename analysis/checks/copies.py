"""The same measurement twice: a line repeated, or times or losses of another run, altered or not.

A seal detects accidents, not forgery: anyone who writes a file can seal it. What a copy keeps can be seen. No two runs
of 9,705 published ones share more than one time of a fine clock, none has the times of another after scaling, and
none has the losses of a run with another seed. That the same seed gives the same losses again is right.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from analysis import cache
from analysis.checks import Finding, Given, Record, ResultFile
from bench.cases import EPOCHS, STEPS
from bench.results import records

ORDER = 7
ONCE = "each measurement counts once: take the copy out"
MEASURE = "measure it on the machine that the file names; times are never written by hand"
SOURCES = ("analysis/checks/copies.py", "bench/results/lines.py")  # say what is kept of a file
TIMES = ("block_s", "block_cpu_s", "epoch_s", "evaluation_s", "loading_s", "waiting_s", "warm_up_s")
DURATIONS = ("import_s", "build_s", "first_step_s", "duration_s")
FINE_S = 1e-6  # of a clock whose times may be compared one by one: a coarse one repeats its few values
LONGEST_S = 1e7  # of which a float still holds fractions of a microsecond
FEWEST_SHARED = 3  # times: by chance, published runs share one at most
FEWEST_SCALED = 5  # times whose proportions no other run has by chance
FEWEST_LOSSES = 4

Place = tuple[str, int]  # file, line


class Marks(NamedTuple):
    """What is compared of one run, with the number of its line."""

    number: int
    whole: str  # a hash of its times; empty where there are too few
    scaled: str  # and of their proportions, in ascending order
    losses: str  # and of its losses, with what has to give the same ones
    seed: int
    times: list[float]  # of a fine clock


def check(given: Given) -> Iterator[Finding]:
    """Compare each run with all other runs of all results."""
    known = _Known()
    for file in given.others:
        for mark in _known_marks(file):
            known.find((file.name, mark.number), mark)
    for file in given.files:
        copied: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
        for mark in _marks(file):
            if (hit := known.find((file.name, mark.number), mark)) is not None:
                what, before, advice = hit
                copied.setdefault((what, before[0], advice), []).append((mark.number, before[1]))
        for (what, name, advice), lines in copied.items():
            yield _finding(file, what, name, advice, lines)
        yield from _repeated(file)


class _Known:
    """The runs that were read, by what a copy of each would keep."""

    def __init__(self) -> None:
        self.whole: dict[str, Place] = {}
        self.scaled: dict[str, Place] = {}
        self.losses: dict[str, tuple[int, Place]] = {}
        self.times: dict[float, Place] = {}

    def find(self, place: Place, mark: Marks) -> tuple[str, Place, str] | None:
        """Return what a run has of an earlier one, the place of that, and what to do; keep the run's own marks."""
        whole = self.whole.setdefault(mark.whole, place) if mark.whole else place
        scaled = self.scaled.setdefault(mark.scaled, place) if mark.scaled else place
        seed, losses = self.losses.setdefault(mark.losses, (mark.seed, place)) if mark.losses else (mark.seed, place)
        shared = Counter(before for time in mark.times if (before := self.times.setdefault(time, place)) != place)
        most = max(shared.items(), key=lambda item: item[1], default=(place, 0))
        if whole != place:
            return "times of its own, got those", whole, ONCE
        if most[1] >= FEWEST_SHARED:
            return "times of its own, got some", most[0], MEASURE
        if scaled != place:
            return "times of its own, got the same multiple or sum with a constant", scaled, MEASURE
        if seed != mark.seed:
            return "losses of its own seed, got those of another seed", losses, MEASURE
        return None


def _finding(file: ResultFile, what: str, name: str, advice: str, lines: list[tuple[int, int]]) -> Finding:
    number, before = lines[0]
    where = "this file" if name == file.name else name
    more = f", and {len(lines) - 1} more runs of that file" if len(lines) > 1 else ""
    return file.finding(number, f"expected {what} of {where}, line {before}{more}", advice)


def _known_marks(file: ResultFile) -> list[Marks]:
    """Return the marks of a file's runs, as they were kept when it was read before."""
    found = cache.recall("times", [cache.file(file.path)], lambda: _marks(file), SOURCES)
    return [Marks(*mark) for mark in found]


def _marks(file: ResultFile) -> list[Marks]:
    return [_mark(number, run) for number, run in file.runs if run["status"] == "ok"]


def _mark(number: int, run: Record) -> Marks:
    values: list[float] = run.get("block_s") or run.get("epoch_s") or []
    whole = _hash(values) if len(set(values)) > 1 else ""
    return Marks(number, whole, _scaled(values), _losses(run), run["seed"], _fine(run))


def _fine(run: Record) -> list[float]:
    """Return each time of a run that a clock of fine steps gave."""
    lists = [value for field in TIMES for value in run.get(field) or []]
    found = {*lists, *(run.get(field) for field in DURATIONS)}
    return sorted(value for value in found if value is not None and _is_fine(value))


def _is_fine(value: float) -> bool:
    steps = value / FINE_S
    return FINE_S < value < LONGEST_S and abs(steps - round(steps)) > 1e-4


def _scaled(values: Sequence[float]) -> str:
    """Return a hash of times in ascending order from 0 to 1, which neither a factor nor a constant changes."""
    ordered = sorted(value for value in values if _is_fine(value))
    if len(ordered) < FEWEST_SCALED or ordered[0] == ordered[-1]:
        return ""
    width = ordered[-1] - ordered[0]
    return _hash([round((value - ordered[0]) / width, 6) for value in ordered])


def _losses(run: Record) -> str:
    """Return a hash of losses that depend on the seed, with the case that gave them; empty where there are too few."""
    case, losses = run["case"], run.get("losses") or []
    if case.task in EPOCHS and len(losses) >= FEWEST_LOSSES:
        return _hash([case.workload, losses])
    if case.task in STEPS and run.get("block_s") and run["loss_last"]:
        return _hash([case.workload, run["loss_first"], run["loss_last"]])
    return ""


def _hash(value: object) -> str:
    return hashlib.blake2b(json.dumps(value).encode(), digest_size=16).hexdigest()


def _repeated(file: ResultFile) -> Iterator[Finding]:
    """Yield lines that ask a case twice in one round, which no campaign does unless the round was void."""
    asked: dict[tuple[object, ...], int] = {}
    for number, record in file.records:
        if record["kind"] == "void" and record["kept"] is None:
            asked = {key: line for key, line in asked.items() if key[0] != record["round"]}
        if not records.is_run(record):
            continue
        key = (record["round"], *record["case"])
        if key in asked:
            yield file.finding(number, f"expected each case once in round {record['round']}, got it again after line "
                               f"{asked[key]}", ONCE)  # fmt: skip
        asked[key] = number
