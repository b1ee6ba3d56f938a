"""Expected duration and memory of runs, from the durations and peaks in a results folder."""

import glob
import os
import statistics
from collections.abc import Iterator
from typing import NamedTuple

from bench.cases import FED, Case
from bench.errors import RecordError
from bench.results import lines, records
from bench.results.lines import Epochs, Run

UNKNOWN_S = {"cold": 9.0, "warm": 7.0, "beside": 4.0}  # seconds of a run by its start, if its workload was never run
UNKNOWN_FED_S = dict.fromkeys(UNKNOWN_S, 4.5)  # of fed runs: 132 of a small network took 2.4 to 10 s


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
        remembered = {each: self.seconds[case.id, each] for each in usual if (case.id, each) in self.seconds}
        if start in own:
            return own[start]
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
    except RecordError:
        return  # a broken file costs only an estimate here; reading it for a page names the line
    for line in content:
        if isinstance(line, (Run, Epochs)) and line.status in ("ok", "timeout"):
            yield line, content[0].threads if isinstance(content[0], lines.Bench) else None
