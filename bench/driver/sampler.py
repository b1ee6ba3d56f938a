"""Sampler process: writes the state of the machine to a file several times a second while runs are measured.

`python -m bench.driver.sampler FILE THREADS` appends JSON lines to FILE: first what it can sample, then the samples. It
ends and removes FILE when its standard input closes, which also happens if the bench is killed.

psutil gives processor and memory, NVML (nvidia-ml-py, `pynvml`) the GPU; both are optional. Names and units of NVML's
values: NVIDIA Management Library, "Device Queries".
"""

import contextlib
import json
import os
import pathlib
import re
import signal
import sys
import threading
import time
import warnings
from typing import Any, BinaryIO

from bench import machine

PERIOD_S = 0.15  # between the beginnings of two samples: five to ten a second
MOST_SHARE = 0.004  # of one core; samples come less often if they cost more processor time
FREQUENCY_EVERY = 7  # samples, about once a second: the cost of reading it grows with the cores
NOT_BUSY = ("idle", "iowait", "guest", "guest_nice")  # on Linux, user and nice include guests
CLOCK = "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq"  # kHz
KIB = re.compile(rb"^(MemAvailable|SwapTotal|SwapFree):\s*(\d+) kB$", re.MULTILINE)
THROTTLES = {  # NVML's clocks event reasons, except that the device is idle
    0x002: "application clocks", 0x004: "power cap", 0x008: "hardware slowdown", 0x010: "sync boost",
    0x020: "software thermal slowdown", 0x040: "hardware thermal slowdown", 0x080: "power brake",
    0x100: "display clocks", 0x200: "board limit", 0x400: "reliability",
}  # fmt: skip
Sample = dict[str, Any]  # of a device, or of all


def busy_s(times: Any) -> float:
    """Return the busy seconds in psutil's `times`, including time stolen by a hypervisor."""
    return float(sum(times[:]) - sum(getattr(times, name, 0.0) for name in NOT_BUSY))


class Cpu:
    """Reads the processor and the memory; raises ImportError without psutil."""

    def __init__(self, cores: list[int]) -> None:
        import psutil

        self.psutil, self.cores, self.reads = psutil, cores, 0
        self.about = f"processor and memory by psutil {psutil.__version__}"

    def read(self) -> Sample:
        """Return one sample; unknown values are None, and so is the frequency in most samples."""
        swap_bytes, free_memory_bytes = self._memory()
        busy: float | None = None
        with contextlib.suppress(AttributeError, OSError):  # a container may hide it
            busy = busy_s(self.psutil.cpu_times())
        self.reads += 1
        return {
            "frequency_mhz": self._frequency() if self.reads % FREQUENCY_EVERY == 1 else None,
            "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
            "busy_s": busy,
            "swap_bytes": swap_bytes,
            "free_memory_bytes": free_memory_bytes,
        }

    def _memory(self) -> tuple[int, int]:
        """Return (bytes of swap in use, bytes of available memory).

        Reads /proc/meminfo once. psutil 7.2.2 reads it twice and a second file, at five times the cost.
        """
        try:
            with open(os.path.join(self.psutil.PROCFS_PATH, "meminfo"), "rb") as file:
                kib = {name: int(number) for name, number in KIB.findall(file.read())}
            return 1024 * (kib[b"SwapTotal"] - kib[b"SwapFree"]), 1024 * kib[b"MemAvailable"]
        except (AttributeError, OSError, KeyError):  # not Linux, or a kernel that lacks one of them
            return self.psutil.swap_memory().used, self.psutil.virtual_memory().available

    def _frequency(self) -> float | None:
        """Return the mean clock of the cores in MHz, from one file per core on Linux or from psutil."""
        try:
            clocks = [_number(CLOCK % core) / 1000.0 for core in self.cores]
        except (OSError, ValueError):
            clocks = []
            # systems without a frequency fail in different ways
            with contextlib.suppress(AttributeError, NotImplementedError, OSError):
                frequencies = [core.current for core in self.psutil.cpu_freq(percpu=True)]
                clocks = [frequencies[core] for core in self.cores if core < len(frequencies)] or frequencies
        return sum(clocks) / len(clocks) if clocks else None


def _number(path: str) -> int:
    with open(path, encoding="ascii") as file:
        return int(file.read())


class Gpu:
    """Reads an NVIDIA GPU, whose number or UUID is `name`."""

    def __init__(self, nvml: Any, name: str) -> None:
        self.nvml = nvml
        self.handle = self._open(name)
        clocks = ["nvmlDeviceGetDefaultApplicationsClock", "nvmlDeviceGetMaxClockInfo"]  # CUDA 13 deprecates the first
        self.default_mhz = self._ask(clocks, nvml.NVML_CLOCK_GRAPHICS)

    def _open(self, name: str) -> Any:
        if name.startswith(("GPU-", "MIG-")):
            return self.nvml.nvmlDeviceGetHandleByUUID(name)
        return self.nvml.nvmlDeviceGetHandleByIndex(int(name) if name.isdigit() else 0)

    def _ask(self, names: list[str], *arguments: Any) -> Any:
        """Return the result of the first function that this device, driver and package support, or None."""
        for name in names:
            try:
                return getattr(self.nvml, name)(self.handle, *arguments)
            except (AttributeError, self.nvml.NVMLError):
                continue
        return None

    def _processes(self) -> int | None:
        """Return the number of computing processes, without those that also draw (a desktop)."""
        computing = self._ask(["nvmlDeviceGetComputeRunningProcesses"])
        drawing = self._ask(["nvmlDeviceGetGraphicsRunningProcesses"]) or []
        return (
            None
            if computing is None
            else len({process.pid for process in computing} - {process.pid for process in drawing})
        )

    def _scaled(self, name: str) -> float | None:
        """Return a value that NVML gives in thousandths of its unit."""
        value = self._ask([name])
        return None if value is None else value / 1000.0

    def read(self) -> Sample:
        """Return one sample; unknown values are None."""
        used = self._ask(["nvmlDeviceGetUtilizationRates"])
        memory = self._ask(["nvmlDeviceGetMemoryInfo"])
        reasons = self._ask(["nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"])
        return {
            "utilisation": used.gpu / 100.0 if used else None,
            "sm_clock_mhz": self._ask(["nvmlDeviceGetClockInfo"], self.nvml.NVML_CLOCK_SM),
            "sm_clock_default_mhz": self.default_mhz,
            "memory_clock_mhz": self._ask(["nvmlDeviceGetClockInfo"], self.nvml.NVML_CLOCK_MEM),
            "power_w": self._scaled("nvmlDeviceGetPowerUsage"),
            "temperature_c": self._ask(
                ["nvmlDeviceGetTemperatureV", "nvmlDeviceGetTemperature"], self.nvml.NVML_TEMPERATURE_GPU
            ),
            "throttle_reasons": [word for bit, word in sorted(THROTTLES.items()) if (reasons or 0) & bit],
            "memory_bytes": memory.used if memory else None,
            "processes": self._processes(),
            "energy_j": self._scaled("nvmlDeviceGetTotalEnergyConsumption"),
        }


def open_cpu(cores: list[int]) -> tuple[Cpu | None, str]:
    """Return (reader of the cores and the memory or None, a sentence about it)."""
    try:
        cpu = Cpu(cores)
    except ImportError:
        return None, "processor and memory not sampled: psutil is not installed"
    return cpu, cpu.about


def open_gpus() -> tuple[list[Gpu], str]:
    """Return (readers of all visible GPUs, a sentence about them); the sentence quotes NVML's error."""
    try:
        import pynvml

        pynvml.nvmlInit()
        names = [name.strip() for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")]
        names = names if any(names) else list(map(str, range(pynvml.nvmlDeviceGetCount())))
        gpus = [Gpu(pynvml, name) for name in names]
    except ImportError:
        return [], "no GPU sampled: nvidia-ml-py is not installed"
    except Exception as error:  # noqa: BLE001 - NVML's errors have no name without NVML; a broken driver has many
        return [], f"no GPU sampled: {error}"
    return gpus, f"GPU by NVML {pynvml.nvmlSystemGetNVMLVersion()}"


def sample(cpu: Cpu | None, gpus: list[Gpu]) -> Sample:
    """Return a sample: `at` is the system's monotonic clock, `cost_s` the processor time of all samples so far.

    `gpu` is the first visible one, which most runs use alone, `further` are the others.
    """
    read = [gpu.read() for gpu in gpus]
    return {"cpu": cpu and cpu.read(), "gpu": read[0] if read else None, "further": read[1:], "at": time.monotonic(),
            "cost_s": time.process_time()}  # fmt: skip


def following(due: float, cost_s: float, now: float) -> float:
    """Return when the next sample is due after one due at `due`, on the clock of `now`.

    The pause counts from the beginning of a sample, and missed samples are not made up for.
    """
    return max(due + max(PERIOD_S, cost_s / MOST_SHARE), now)


def _note_the_end(gone: threading.Event) -> None:
    sys.stdin.read()
    gone.set()


def main(path: str, threads: int) -> None:
    """Sample into `path` until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the bench, which closes our input
    warnings.simplefilter("ignore")  # psutil warns about values that a system does not provide
    gone = threading.Event()
    threading.Thread(target=_note_the_end, args=(gone,), daemon=True).start()
    (cpu, about_cpu), (gpus, about_gpus) = open_cpu(machine.timed_cores(threads)), open_gpus()
    try:
        with open(path, "ab", buffering=0) as file:
            _write(file, {"about": f"{about_cpu}; {about_gpus}"})
            if not cpu and not gpus:
                gone.wait()
            due, begun_s, made = time.monotonic(), time.process_time(), 0
            while not gone.wait(max(due - time.monotonic(), 0.0)):
                _write(file, sample(cpu, gpus))
                made += 1
                # The mean cost, including waits: one expensive sample must not delay the next ones.
                due = following(due, (time.process_time() - begun_s) / made, time.monotonic())
    finally:
        pathlib.Path(path).unlink(missing_ok=True)


def _write(file: BinaryIO, line: Sample) -> None:
    text = json.dumps(line).encode("utf-8") + b"\n"
    if file.write(text) != len(text):
        raise OSError("the disk is full: the last sample was not written completely, and sampling ends")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
