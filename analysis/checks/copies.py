"""The same measurement twice: a line repeated, or times or losses of another run, altered or not.

A seal detects accidents, not forgery: anyone who writes a file can seal it. What a copy keeps can be seen. Of
9,705 published runs, no two share more than one time of a fine clock. None has the times of another after scaling, or
the losses of a run with another seed. The same seed gives the same losses again, which is right.
"""

import functools
import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from analysis import cache
from analysis.checks import Finding, Given, ResultFile
from bench.cases import EPOCHS, Case
from bench.results.lines import Epochs, Run, Void
from bench.results.records import timed_s

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
Seen = dict[str | float, tuple[Place, int]]  # the first run with a mark, and its seed


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
    seen: Seen = {}
    for file in given.others:
        for mark in cache.recall("times", [cache.file(file.path)], functools.partial(_marks, file), SOURCES):
            _copied(seen, file, Marks(*mark))
    for file in given.files:
        copied: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
        for mark in _marks(file):
            if (hit := _copied(seen, file, mark)) is not None:
                what, (name, line), advice = hit
                copied.setdefault((what, name, advice), []).append((mark.number, line))
        for (what, name, advice), lines in copied.items():
            where = "this file" if name == file.name else name
            more = f", and {len(lines) - 1} more runs of that file" if len(lines) > 1 else ""
            number, line = lines[0]
            yield file.finding(number, f"expected {what} of {where}, line {line}{more}", advice)
        yield from _repeated(file)


def _copied(seen: Seen, file: ResultFile, mark: Marks) -> tuple[str, Place, str] | None:
    """Return what a run has of an earlier one, the place of that, and what to do; add the run's marks to `seen`."""
    here = (file.name, mark.number), mark.seed
    whole, scaled, losses = (seen.setdefault(key, here) if key else here
                             for key in (mark.whole, mark.scaled, mark.losses))  # fmt: skip
    shared = Counter(before for time in mark.times if (before := seen.setdefault(time, here)) != here)
    most, count = max(shared.items(), key=lambda item: item[1], default=(here, 0))
    if whole != here:
        return "times of its own, got those", whole[0], ONCE
    if count >= FEWEST_SHARED:
        return "times of its own, got some", most[0], MEASURE
    if scaled != here:
        return "times of its own, got the same multiple or sum with a constant", scaled[0], MEASURE
    if losses[1] != mark.seed:
        return "losses of its own seed, got those of another seed", losses[0], MEASURE
    return None


def _marks(file: ResultFile) -> list[Marks]:
    return [Marks(number, _hash(timed_s(run)) if len(set(timed_s(run))) > 1 else "", _scaled(run), _losses(run),
                  run.seed, _fine(run)) for number, run in file.runs if run.status == "ok"]  # fmt: skip


def _fine(run: Run | Epochs) -> list[float]:
    """Return each time of a run that a clock of fine steps gave."""
    times = {time_s for field in TIMES for time_s in getattr(run, field, None) or ()}
    times |= {getattr(run, field) for field in DURATIONS}
    return sorted(time_s for time_s in times if time_s is not None and _is_fine(time_s))


def _is_fine(value: float) -> bool:
    steps = value / FINE_S
    return FINE_S < value < LONGEST_S and abs(steps - round(steps)) > 1e-4


def _scaled(run: Run | Epochs) -> str:
    """Return a hash of times in ascending order from 0 to 1, which neither a factor nor a constant changes."""
    ordered = sorted(filter(_is_fine, timed_s(run)))
    if len(ordered) < FEWEST_SCALED or ordered[0] == ordered[-1]:
        return ""
    width = ordered[-1] - ordered[0]
    return _hash([round((value - ordered[0]) / width, 6) for value in ordered])


def _losses(run: Run | Epochs) -> str:
    """Return a hash of losses that depend on the seed, with the case that gave them; empty where there are too few."""
    if isinstance(run, Run):
        losses = [run.loss_first, run.loss_last]
        return _hash([run.case.workload, *losses]) if run.block_s and run.loss_last else ""
    return (
        _hash([run.case.workload, run.losses]) if len(run.losses) >= FEWEST_LOSSES and run.case.task in EPOCHS else ""
    )


def _hash(value: object) -> str:
    return hashlib.blake2b(json.dumps(value).encode(), digest_size=16).hexdigest()


def _repeated(file: ResultFile) -> Iterator[Finding]:
    """Yield lines that ask a case twice in one round, which no campaign does unless the round was void."""
    asked: dict[tuple[int, Case], int] = {}
    for number, line in file.records:
        if isinstance(line, Void) and line.kept is None:
            asked = {key: before for key, before in asked.items() if key[0] != line.round}
        if not isinstance(line, Run | Epochs):
            continue
        key = line.round, line.case
        if key in asked:
            yield file.finding(number, f"expected each case once in round {line.round}, got it again after line "
                               f"{asked[key]}", ONCE)  # fmt: skip
        asked[key] = number
