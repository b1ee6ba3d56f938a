"""Summarise the state of the machine while runs are measured: load, clocks, power and memory.

A sampler (bench/driver/sampler.py) writes samples to a file. A `Watch` keeps that process and sums up the samples of
each run.
"""

import contextlib
import ctypes
import itertools
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from bench import machine, registry
from bench.driver import sampler
from bench.driver.neighbours import Canary
from bench.driver.sampler import Sample

HELLO_S = 20.0  # time limit for the sampler's first line
END_S = 2.0
ENERGY_S = 8.0  # a shorter window is too inexact: the energy counter moves every 0.1 s and lags behind

JOINED: dict[str, Callable[[list[Any]], Any]] = {  # what several GPUs are as one
    "utilisation": fmean, "sm_clock_mhz": min, "sm_clock_default_mhz": min, "memory_clock_mhz": min, "power_w": sum,
    "temperature_c": max, "memory_bytes": max, "processes": max, "energy_j": sum,
    "throttle_reasons": lambda words: [*itertools.chain(*words)],
}  # fmt: skip

State = Mapping[str, object]  # as bench/results/lines.py defines it
Shares = dict[str, float | None]


class Reading(NamedTuple):
    """Counters at one moment, in seconds."""

    at_s: float  # the system's monotonic clock
    busy_s: float | None  # of a run's cores, since the system started
    own_s: float | None  # processor time of this process and its ended descendants


def busy_s(cores: list[int]) -> float | None:
    """Return the seconds for which cores were busy for anyone, including time stolen by a hypervisor."""
    try:
        import psutil

        times = psutil.cpu_times(percpu=True)
    except (ImportError, OSError):  # a container may hide it
        return None
    return sum(map(sampler.busy_s, [times[core] for core in cores if core < len(times)] or times))


def _adopt(is_wanted: bool) -> None:
    """Make this process inherit orphan processes of runs (Linux), so that their processor time counts as the run's."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(36, int(is_wanted), 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _own_s() -> float | None:
    """Return the processor time of this process and its ended descendants; None on systems that drop orphans' time."""
    if sys.platform != "linux":
        return None
    import resource

    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass  # the time of a process counts only after a wait for it
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime + time.process_time()  # our own time is that of searching for quiet cores


def _used_s(processes: Sequence[int]) -> float:
    """Return the processor time in seconds of running processes with their ended children; Linux only."""
    ticks = 0
    for number in processes:
        with contextlib.suppress(OSError), open(f"/proc/{number}/stat", encoding="utf-8") as file:
            ticks += sum(map(int, file.read().rpartition(")")[2].split()[11:15]))  # proc(5): utime to cstime
    return ticks / os.sysconf("SC_CLK_TCK")


class Watch:
    """A sampler process and its samples; `about` says what it samples.

    `begin` and `over` (or `end`) enclose the timed part of a group's runs. Meanwhile no other child of this process is
    waited for. If the sampler ends or hangs, only samples are lost.
    """

    def __init__(self, threads: int) -> None:
        self.threads = threads
        self.canary = Canary(threads)
        self.cores = machine.timed_cores(threads)
        descriptor, self.path = tempfile.mkstemp(prefix="bench-state-", suffix=".jsonl")
        os.close(descriptor)
        path = os.pathsep.join(filter(None, [registry.ROOT, os.environ.get("PYTHONPATH")]))
        self.process = subprocess.Popen(
            [sys.executable, "-m", "bench.driver.sampler", self.path, str(threads)], stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=dict(os.environ, PYTHONPATH=path),
        )  # fmt: skip
        _adopt(True)
        self.about = self._hello()
        self.samples: list[Sample] = []
        self.begun = self.read()
        self.ended: Reading | None = None

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_: object) -> None:
        _adopt(False)
        try:
            self.process.communicate(timeout=END_S)  # closes its input
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        pathlib.Path(self.path).unlink(missing_ok=True)

    def _hello(self) -> str:
        deadline = time.monotonic() + HELLO_S
        while time.monotonic() < deadline and self.process.poll() is None:
            lines = self._lines()
            if lines:
                return str(lines[0]["about"])[:400]
            time.sleep(0.02)
        return "nothing sampled: the sampler did not start"

    def _lines(self) -> list[Sample]:
        with contextlib.suppress(FileNotFoundError), open(self.path, encoding="utf-8") as file:
            return [json.loads(line) for line in file.read().split("\n")[:-1]]
        return []  # the sampler has ended

    def read(self, alive: Sequence[int] = ()) -> Reading:
        """Return the counters now; the processes `alive` count as this process's own."""
        now = Reading(time.monotonic(), busy_s(self.cores), _own_s())
        return now if now.own_s is None else now._replace(own_s=now.own_s + _used_s(alive))

    def begin(self, alive: Sequence[int] = ()) -> None:
        """Begin the timed part of new runs, or of the processes `alive`; drops earlier samples."""
        if os.path.exists(self.path):
            os.truncate(self.path, 0)
        self.begun, self.ended = self.read(alive), None

    def over(self, alive: Sequence[int]) -> None:
        """End the timed part of the processes `alive`."""
        self.ended = self.read(alive)

    def end(self, metered: Sequence[Sequence[float] | None], devices: Sequence[int] = ()) -> list[State | None]:
        """Return the `machine_state` of each run between `begin` and `over`; None without samples.

        Runs take turns, so the processor's values are those of all runs. GPU values cover each run's own `metered`
        seconds, and so many first `devices` of each run.
        """
        end = self.ended or self.read()
        self.samples = [line for line in self._lines() if self.begun.at_s <= line.get("at", 0.0) <= end.at_s]
        cpu = sum_up_cpu(self.samples, shares(self.begun, end, len(self.canary.places[0]) or self.threads))
        used = [of_gpus(self.samples, number) for number in devices or [1] * len(metered)]
        gpus = [sum_up_gpu(samples, _within(samples, interval), len(metered))
                for samples, interval in zip(used, metered, strict=True)]  # fmt: skip
        state = {"samples": len(self.samples), "sampler_share": _cost(self.samples), "cpu": cpu}
        return [None if cpu is None and gpu is None else dict(state, gpu=gpu) for gpu in gpus]

    def trace(self, metered: Sequence[float]) -> list[list[float | None]]:
        """Return the machine's load in a run's `metered` seconds; call it after `end`.

        Each sample is [seconds since their begin, busy cores since the previous sample, GPU utilisation (0 to 1) or
        None].
        """
        samples = _within(self.samples, metered)
        samples = [sample for sample in samples if sample["cpu"] and sample["cpu"]["busy_s"] is not None]
        return [[round(now["at"] - metered[0], 3),
                 round((now["cpu"]["busy_s"] - before["cpu"]["busy_s"]) / (now["at"] - before["at"]), 3),
                 now["gpu"]["utilisation"] if now["gpu"] else None]
                for before, now in zip(samples, samples[1:])]  # fmt: skip


def of_gpus(samples: Sequence[Sample], number: int) -> list[Sample]:
    """Return samples in which so many GPUs are one: their power and energy together, their highest memory."""
    if number == 1:
        return [*samples]
    return [
        sample | {"gpu": sample["gpu"] and _joined([sample["gpu"], *sample["further"]][:number])} for sample in samples
    ]


def _joined(gpus: list[Sample]) -> Sample:
    values = {name: [gpu[name] for gpu in gpus] for name in JOINED}
    return {name: None if None in values[name] else join(values[name]) for name, join in JOINED.items()}


def _within(samples: Sequence[Sample], metered: Sequence[float] | None) -> list[Sample]:
    return [sample for sample in samples if metered and metered[0] <= sample["at"] <= metered[1]]


def _cost(samples: Sequence[Sample]) -> float | None:
    """Return the sampler's processor time as a share of one core."""
    if len(samples) < 2:
        return None
    first, last = samples[0], samples[-1]
    return float((last["cost_s"] - first["cost_s"]) / (last["at"] - first["at"]))


def shares(begin: Reading, end: Reading, cores: int) -> Shares:
    """Return the utilisation of a run's cores, and the share used by processes other than the run's."""
    available_s = (end.at_s - begin.at_s) * cores
    used_s = 0.0 if begin.busy_s is None or end.busy_s is None else end.busy_s - begin.busy_s
    if used_s <= 0:  # some containers show counters that never change
        return {"utilisation": None, "others_share": None}
    others = None
    if begin.own_s is not None and end.own_s is not None:
        others = min(max(used_s - (end.own_s - begin.own_s), 0.0) / available_s, 1.0)
    return {"utilisation": min(used_s / available_s, 1.0), "others_share": others}


def _over(sum_up: Callable[[list[Any]], Any], samples: Sequence[Sample], device: str, name: str) -> Any:
    """Return a summary of the known values of a field; None without any."""
    values = [sample[device][name] for sample in samples if sample[device] and sample[device][name] is not None]
    return sum_up(values) if values else None


def sum_up_cpu(samples: Sequence[Sample], shared: Shares) -> State | None:
    """Return a summary of the processor's and memory's samples; `shared` is the result of `shares`."""
    swap_bytes = _over(max, samples, "cpu", "swap_bytes")
    if swap_bytes is None and shared["utilisation"] is None:
        return None
    return shared | {
        "frequency_mean_mhz": _over(fmean, samples, "cpu", "frequency_mhz"),
        "frequency_lowest_mhz": _over(min, samples, "cpu", "frequency_mhz"),
        "load_highest": _over(max, samples, "cpu", "load"),
        "swap_highest_bytes": swap_bytes,
        "swap_growth_bytes": _over(lambda swap: swap[-1] - swap[0], samples, "cpu", "swap_bytes"),
        "free_memory_lowest_bytes": _over(min, samples, "cpu", "free_memory_bytes"),
    }


def sum_up_gpu(samples: Sequence[Sample], timed: Sequence[Sample], own: int = 1) -> State | None:
    """Return a summary of a GPU's samples; temperature and memory use all `samples`, the rest those `timed`.

    Clocks and throttle reasons count only while the GPU computes, because idle GPUs lower their clocks.
    `processes_most` counts the `own` processes of the runs that take turns as one.
    """
    samples, timed = ([sample for sample in part if sample["gpu"]] for part in (samples, timed))
    if not samples:
        return None
    computing = [sample for sample in timed if sample["gpu"]["utilisation"] != 0]
    energy_j, window_s = _energy(timed)
    most = _over(max, timed, "gpu", "processes")
    return {
        "utilisation": _over(fmean, timed, "gpu", "utilisation"),
        "sm_clock_mean_mhz": _over(fmean, computing, "gpu", "sm_clock_mhz"),
        "sm_clock_lowest_mhz": _over(min, computing, "gpu", "sm_clock_mhz"),
        "sm_clock_default_mhz": samples[0]["gpu"]["sm_clock_default_mhz"],
        "memory_clock_mean_mhz": _over(fmean, computing, "gpu", "memory_clock_mhz"),
        "power_mean_w": _over(fmean, timed, "gpu", "power_w"),
        "power_highest_w": _over(max, timed, "gpu", "power_w"),
        "temperature_highest_c": _over(max, samples, "gpu", "temperature_c"),
        "throttle_reasons": sorted({word for sample in computing for word in sample["gpu"]["throttle_reasons"]}),
        "memory_highest_bytes": _over(max, samples, "gpu", "memory_bytes"),
        "processes_most": max(1, most - own + 1) if most else most,
        "energy_j": energy_j,
        "energy_window_s": window_s,
    }


def _energy(timed: Sequence[Sample]) -> tuple[float | None, float | None]:
    """Return (J, s): the rise of the energy counter within the timed part, and its duration."""
    samples = [(sample["at"], sample["gpu"]["energy_j"]) for sample in timed if sample["gpu"]["energy_j"] is not None]
    if not samples:
        return None, None
    window_s, energy_j = (last - first for first, last in zip(samples[0], samples[-1]))
    return (energy_j, window_s) if window_s >= ENERGY_S and energy_j >= 0 else (None, None)
