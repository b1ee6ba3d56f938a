"""The sampler: a small process that writes down how the machine is, some times a second, while runs are measured.

`python -m bench.driver.sampler FILE THREADS` appends JSON lines to FILE: first what can be sampled here and what not,
then the samples. It ends and removes FILE when its standard input closes: when the bench ends, and when it is killed.

Processor and memory come from psutil, the GPU from NVML through nvidia-ml-py (`pynvml`); each may be missing. Names and
units of NVML's values: NVIDIA Management Library, "Device Queries".
"""

import json
import os
import re
import signal
import sys
import threading
import time
import warnings
from typing import Any, Dict, List, Optional, Tuple

from bench import machine

PERIOD_S = 0.15  # from sample to sample, however long one takes: between five and ten a second
MOST_SHARE = 0.004  # of one core: where a sample costs more processor time than that, samples come less often
FREQUENCY_EVERY = 7  # samples: about once a second, for what it costs to ask for it grows with the cores
NOT_BUSY = ("idle", "iowait", "guest", "guest_nice")  # guests are counted as user and nice, too, on Linux
CLOCK = "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq"  # kHz
KIB = re.compile(rb"^(MemAvailable|SwapTotal|SwapFree):\s*(\d+) kB$", re.MULTILINE)
THROTTLES = {  # NVML's clocks event reasons; that the device is idle is none
    0x002: "application clocks", 0x004: "power cap", 0x008: "hardware slowdown", 0x010: "sync boost",
    0x020: "software thermal slowdown", 0x040: "hardware thermal slowdown", 0x080: "power brake",
    0x100: "display clocks", 0x200: "board limit", 0x400: "reliability",
}  # fmt: skip


def busy_s(times: Any) -> float:
    """Return the seconds of psutil's `times` in which something ran, for anyone: what a hypervisor took as well."""
    return float(sum(times[:]) - sum(getattr(times, name, 0.0) for name in NOT_BUSY))


class Cpu:
    """Reads the processor and the memory; raises ImportError without psutil."""

    def __init__(self, cores: List[int]) -> None:
        import psutil

        self.psutil, self.cores, self.reads = psutil, cores, 0
        self.about = "processor and memory by psutil %s" % psutil.__version__

    def read(self) -> Dict[str, Any]:
        """Return one sample; what the system does not tell is None, and so is the frequency in most samples."""
        swap_bytes, free_memory_bytes = self._memory()
        is_turn = self.reads % FREQUENCY_EVERY == 0
        self.reads += 1
        return {
            "frequency_mhz": self._frequency() if is_turn else None,
            "load": os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
            "busy_s": self._busy(),
            "swap_bytes": swap_bytes,
            "free_memory_bytes": free_memory_bytes,
        }

    def _busy(self) -> Optional[float]:
        try:
            return busy_s(self.psutil.cpu_times())
        except (AttributeError, OSError):  # a container may hide it
            return None

    def _memory(self) -> Tuple[int, int]:
        """Return the bytes of swap in use and of free memory: both from the one file that psutil reads twice on Linux.

        psutil 7.2.2 makes more of it, and of a second file, at five times the cost.
        """
        try:
            with open(os.path.join(self.psutil.PROCFS_PATH, "meminfo"), "rb") as file:
                kib = {name: int(number) for name, number in KIB.findall(file.read())}
            return 1024 * (kib[b"SwapTotal"] - kib[b"SwapFree"]), 1024 * kib[b"MemAvailable"]
        except (AttributeError, OSError, KeyError):  # another system, or a kernel that does not tell all three
            return self.psutil.swap_memory().used, self.psutil.virtual_memory().available

    def _frequency(self) -> Optional[float]:
        """Return the mean of the cores' clocks: from a file for each where Linux has them; psutil reads all cores'."""
        try:
            own = [_number(CLOCK % core) / 1000.0 for core in self.cores]
        except (OSError, ValueError):
            own = self._told_frequencies()
        return sum(own) / len(own) if own else None

    def _told_frequencies(self) -> List[float]:
        try:
            each = self.psutil.cpu_freq(percpu=True)
        except (AttributeError, NotImplementedError, OSError):  # some systems tell none, each in its own way
            return []
        return [each[core].current for core in self.cores if core < len(each)] or [core.current for core in each]


def _number(path: str) -> int:
    with open(path, encoding="ascii") as file:
        return int(file.read())


class Gpu:
    """Reads the first visible NVIDIA GPU; raises ImportError without pynvml, `pynvml.NVMLError` without a driver."""

    def __init__(self) -> None:
        import pynvml

        self.nvml = pynvml
        pynvml.nvmlInit()
        self.handle = self._open(os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")[0].strip())
        clocks = ["nvmlDeviceGetDefaultApplicationsClock", "nvmlDeviceGetMaxClockInfo"]  # CUDA 13 deprecates the first
        self.default_mhz = self._ask(clocks, pynvml.NVML_CLOCK_GRAPHICS)
        self.about = "GPU by NVML %s" % pynvml.nvmlSystemGetNVMLVersion()

    def _open(self, visible: str) -> Any:
        if visible.startswith(("GPU-", "MIG-")):
            return self.nvml.nvmlDeviceGetHandleByUUID(visible)
        return self.nvml.nvmlDeviceGetHandleByIndex(int(visible) if visible.isdigit() else 0)

    def _ask(self, names: List[str], *arguments: Any) -> Any:
        """Return what the first of these functions says, or None where this device, driver or package has none."""
        for name in names:
            try:
                return getattr(self.nvml, name)(self.handle, *arguments)
            except (AttributeError, self.nvml.NVMLError):
                continue
        return None

    def _processes(self) -> Optional[int]:
        """Count who computes on the device; a desktop that draws on it, and may compute a little, is not meant."""
        computing = self._ask(["nvmlDeviceGetComputeRunningProcesses"])
        drawing = self._ask(["nvmlDeviceGetGraphicsRunningProcesses"]) or []
        return None if computing is None else len({each.pid for each in computing} - {each.pid for each in drawing})

    def read(self) -> Dict[str, Any]:
        """Return one sample; what the device does not tell is None."""
        used = self._ask(["nvmlDeviceGetUtilizationRates"])
        memory = self._ask(["nvmlDeviceGetMemoryInfo"])
        reasons = self._ask(["nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"])
        return {
            "utilisation": used.gpu / 100.0 if used else None,
            "sm_clock_mhz": self._ask(["nvmlDeviceGetClockInfo"], self.nvml.NVML_CLOCK_SM),
            "sm_clock_default_mhz": self.default_mhz,
            "memory_clock_mhz": self._ask(["nvmlDeviceGetClockInfo"], self.nvml.NVML_CLOCK_MEM),
            "power_w": _scaled(self._ask(["nvmlDeviceGetPowerUsage"])),
            "temperature_c": self._ask(
                ["nvmlDeviceGetTemperatureV", "nvmlDeviceGetTemperature"], self.nvml.NVML_TEMPERATURE_GPU
            ),
            "throttle_reasons": [word for bit, word in sorted(THROTTLES.items()) if (reasons or 0) & bit],
            "memory_bytes": memory.used if memory else None,
            "processes": self._processes(),
            "energy_j": _scaled(self._ask(["nvmlDeviceGetTotalEnergyConsumption"])),
        }


def _scaled(thousandths):
    return None if thousandths is None else thousandths / 1000.0


def open_cpu(cores: List[int]) -> Tuple[Optional[Cpu], str]:
    """Return what reads these cores and the memory, or None, and a sentence about it."""
    try:
        found = Cpu(cores)
    except ImportError:
        return None, "processor and memory not sampled: psutil is not installed"
    return found, found.about


def open_gpu() -> Tuple[Optional[Gpu], str]:
    """Return what reads the GPU, or None, and a sentence about it; says why there is none in NVML's own words."""
    try:
        found = Gpu()
    except ImportError:
        return None, "no GPU sampled: nvidia-ml-py is not installed"
    except Exception as error:  # noqa: BLE001 - NVML's errors have no name without NVML; a broken driver has many
        return None, "no GPU sampled: %s" % error
    return found, found.about


def sample(cpu: Optional[Cpu], gpu: Optional[Gpu]) -> Dict[str, Any]:
    """Return the machine's state now: `at` is the system's monotonic clock, `cost_s` what sampling has cost so far."""
    read = {"cpu": cpu.read() if cpu else None, "gpu": gpu.read() if gpu else None}
    return dict(read, at=time.monotonic(), cost_s=time.process_time())


def following(due: float, cost_s: float, now: float) -> float:
    """Return when the next sample is due, on the clock of `now`, after one that was due at `due` and cost `cost_s`.

    The time that a sample takes is no part of the pause, and what was missed is not made up for.
    """
    return max(due + max(PERIOD_S, cost_s / MOST_SHARE), now)


def _note_the_end(gone: threading.Event) -> None:
    sys.stdin.read()
    gone.set()


def main(path: str, threads: int) -> None:
    """Sample into `path` until standard input closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the bench, which closes our input
    warnings.simplefilter("ignore")  # psutil warns of what a system does not tell
    gone = threading.Event()
    threading.Thread(target=_note_the_end, args=(gone,), daemon=True).start()
    (cpu, about_cpu), (gpu, about_gpu) = open_cpu(machine.timed_cores(threads)), open_gpu()
    try:
        with open(path, "ab", buffering=0) as file:
            _write(file, {"about": "%s; %s" % (about_cpu, about_gpu)})
            if not cpu and not gpu:
                gone.wait()
            due, begun_s, made = time.monotonic(), time.process_time(), 0
            while not gone.wait(max(due - time.monotonic(), 0.0)):
                _write(file, sample(cpu, gpu))
                made += 1
                # By the mean cost, waiting included: one sample that was dear must not put off the next ones.
                due = following(due, (time.process_time() - begun_s) / made, time.monotonic())
    finally:
        if os.path.exists(path):
            os.remove(path)


def _write(file, line):
    text = json.dumps(line).encode("utf-8") + b"\n"
    if file.write(text) != len(text):
        raise OSError("the disk is full: what was written is no line, and nothing may follow it")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
