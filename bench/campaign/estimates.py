"""Estimates by which a campaign distributes its time; they support no claim.

Past runs in a results folder give the expected duration and memory of the next ones. Student's t intervals of the
logarithms of ratios within rounds give how much another round of a question would narrow its open intervals. The
analysis makes claims when all rounds are complete.
"""

import glob
import itertools
import math
import os
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bench.cases import FED, Case
from bench.errors import RecordError
from bench.results import lines, records
from bench.results.lines import Epochs, Run

UNKNOWN_S = {"cold": 9.0, "warm": 7.0, "beside": 4.0}  # seconds of a run by its start, if its workload was never run
UNKNOWN_FED_S = dict.fromkeys(UNKNOWN_S, 4.5)  # of fed runs: 132 of a small network took 2.4 to 10 s
# logarithm of a competitor's seconds by (round, group), since only a group's runs were alive at once
Logs = dict[tuple[int, int], float]

FEWEST = 3  # rounds; fewer say nothing about a pair
# limits of claims: beyond the first is different, wholly within the second is equivalent
DIFFERENT, SAME = math.log(1.01), math.log(1.02)
CLEAR = 2.0  # half-widths from DIFFERENT at which a pair stays different after adjustment for multiple comparisons
QUANTILES = (  # 99.5 % quantiles of Student's t with 1, 2, ... degrees of freedom; the last holds for all more
    63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921,
    2.898, 2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750, 2.6,
)  # fmt: skip


class Known(NamedTuple):
    """Durations and memory of past runs; those of this machine have precedence."""

    seconds: dict[tuple[str, str], float]  # (case id, start) -> seconds of use of the machine
    memory_bytes: dict[str, int]  # case id -> peak, of the device of the case
    alike: dict[tuple[str, str, str, str], list[float]]  # (workload, task, device, start) -> seconds of all such runs

    def run_s(self, case: Case, start: str, own: dict[str, float]) -> float:
        """Return the expected seconds of a run: those of the last one with the same start, here or in past results.

        `own` holds the durations of its runs in this campaign by start.
        """
        usual = self._usual(case)
        if start in own:
            return own[start]
        remembered = {each: self.seconds[case.id, each] for each in usual if (case.id, each) in self.seconds}
        if start in remembered:
            return min([remembered[start], *_scaled(own, start, usual)])
        return [*_scaled(own, start, usual), *_scaled(remembered, start, usual), usual[start]][0]

    def _usual(self, case: Case) -> dict[str, float]:
        """Return {start: seconds} for a case that never ran: medians of its workload, or defaults."""
        of_any = UNKNOWN_FED_S if case.task in FED else UNKNOWN_S
        of_its = {start: self.alike.get((case.workload, case.task, case.device, start)) for start in of_any}
        seconds = {start: statistics.median(each) for start, each in of_its.items() if each}
        return {start: seconds.get(start) or [*_scaled(seconds, start, of_any), of_any[start]][0] for start in of_any}

    def learn_peak(self, run: Run | Epochs) -> None:
        """Record the peak memory of a run."""
        peak = run.peak_host_memory_bytes if run.case.device == "cpu" else run.peak_device_memory_bytes
        if peak:
            self.memory_bytes[run.case.id] = peak


def _scaled(seconds: dict[str, float], start: str, usual: dict[str, float]) -> list[float]:
    """Return durations of other starts, scaled by the usual ratio between starts."""
    return [each_s * usual[start] / usual[other] for other, each_s in seconds.items()]


def start_of(run: Run | Epochs) -> str:
    """Return how a run started: with `cold` compiler caches, `warm` ones, or warm and `beside` others."""
    is_beside = isinstance(run, Run) and run.status == "ok" and run.first_step_s is None
    return "beside" if is_beside and run.cache == "warm" else run.cache


def as_before(results: str, machine: str, threads: int) -> Known:
    """Return durations and memory of the newest runs in a results folder.

    Runs of this machine have precedence over other machines', and among them those with as many threads.
    """
    by_weight = [Known({}, {}, {}) for _ in range(3)]
    for path in sorted(glob.glob(os.path.join(results, "*", "*.jsonl"))):
        is_own = os.path.basename(os.path.dirname(path)) == machine
        for run, its_threads in _runs_in(path):
            known = by_weight[is_own + (is_own and its_threads == threads)]
            case, start = run.case, start_of(run)
            known.seconds[case.id, start] = run.duration_s
            known.alike.setdefault((case.workload, case.task, case.device, start), []).append(run.duration_s)
            known.learn_peak(run)
    found = Known({}, {}, {})
    for known in by_weight:
        found.seconds.update(known.seconds)
        found.memory_bytes.update(known.memory_bytes)
        found.alike.update(known.alike)
    return found


def _runs_in(path: str) -> Iterator[tuple[Run | Epochs, int | None]]:
    """Yield (run, threads) of a campaign's runs whose duration is informative."""
    try:
        content = records.read(path)
    except (RecordError, FileNotFoundError):  # another node may remove its file meanwhile
        return  # a broken file costs only an estimate here; reading it for a page names the line
    for line in content:
        if isinstance(line, (Run, Epochs)) and line.status in ("ok", "timeout"):
            yield line, content[0].threads if isinstance(content[0], lines.Bench) else None


def narrowing(runs: Iterable[Run | Epochs], half_width: float) -> dict[str, float]:
    """Return {question: expected narrowing of the intervals of its open pairs by one more round, in all}.

    `runs` are the runs of one campaign that count. A pair is open while it is neither different nor equivalent, and its
    ratio's 99 % interval is wider than `half_width` (0.01 is 1 %).
    """
    logs: dict[str, dict[str, Logs]] = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        time_s = records.time_s(run)
        if time_s is not None:
            logs[run.case.question][run.case.id][run.round, run.group or 0] = math.log(time_s)
    return {question: sum(_open(list(by_case.values()), half_width)) for question, by_case in logs.items()}


def _open(competitors: Sequence[Logs], half_width: float) -> Iterator[float]:
    """Yield the expected narrowing of each open pair; half-widths shrink with the root of the number of rounds."""
    pairs = [[a[key] - b[key] for key in a if key in b] for a, b in itertools.combinations(competitors, 2)]
    variances = [statistics.variance(ratios) for ratios in pairs if len(ratios) >= FEWEST]
    for ratios in pairs:
        count = len(ratios)
        if count < FEWEST:
            yield 1.0  # nothing is known of the pair
            continue
        # its own variance, and the usual one of the question
        both = (statistics.variance(ratios) + sum(variances) / len(variances)) / 2
        half = QUANTILES[min(2 * (count - 1), len(QUANTILES)) - 1] * math.sqrt(both / count)
        off = abs(sum(ratios) / count)
        if half > half_width and off - DIFFERENT < CLEAR * half and off + half > SAME:
            yield half * (1 - math.sqrt(count / (count + 1.0)))
