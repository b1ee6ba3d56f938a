"""Say what machine this is, without naming whose: processor, memory, system, GPU, and a name for its results folder."""

import contextlib
import os
import platform
import re
import shutil
import subprocess
import sys
from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

CPUINFO = "/proc/cpuinfo"
MOUNTS = "/proc/self/mountinfo"  # a line for each: number, parent, device, root, where, options ... - type, source ...
ROTATIONAL = "/sys/dev/block/%s/%squeue/rotational"  # of a disk, or of the disk of a partition
SHARED_CACHE = "/sys/devices/system/cpu/cpu%d/cache/index3/shared_cpu_list"  # such as 0-3,8-11
LONGEST = 64  # characters of a name in results (bench/results/lines.py)
INSTRUCTIONS = ("avx", "avx2", "avx512f", "avx512_bf16", "amx_bf16", "asimd", "sve", "bf16")  # of x86, then of ARM
BFLOAT16 = ("avx512_bf16", "amx_bf16", "bf16")
NUMERIC = ("blas", "mkl", "dnn", "omp", "cuda", "cublas", "cudnn", "nccl", "xla")  # parts of libraries' file names


def cores() -> int:
    """Return how many logical cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def usual_threads(logical_cpus: int) -> int:
    """Return how many threads a run has unless it is asked for others: one core is left to the system and the bench.

    Threads on all cores wait for each other: who takes one core for a moment stops them all.
    """
    return max(1, logical_cpus - 1)


def first_cores(threads: int, place: int = 0) -> List[int]:
    """Return the numbers of the cores that runs are kept on; empty where the system keeps no process on cores.

    Those that start at the same time each have cores of their own, by their `place`, as far as there are.
    """
    if not hasattr(os, "sched_getaffinity"):
        return []
    known = sorted(os.sched_getaffinity(0))
    skipped = place % max(1, len(known) // threads) * threads
    return known[skipped : skipped + threads]


def places(threads: int) -> List[List[int]]:
    """Return cores that so many threads can be kept on instead of the first ones: the first, then others like them.

    Those have the last level of cache in common with the first, so that moving there costs little. One place alone,
    maybe without cores, where the system does not tell.
    """
    first = first_cores(threads)
    told = _from_file(SHARED_CACHE % first[0], r"^([0-9,-]+)$") if first else None
    shared: Set[int] = set()
    for part in told.split(",") if told else ():
        low, _, high = part.partition("-")
        shared.update(range(int(low), int(high or low) + 1))
    others = [first_cores(threads, place) for place in range(1, cores() // threads)]
    return [first] + [each for each in others if shared.issuperset(each)]


def timed_cores(threads: int) -> List[int]:
    """Return all cores that so many threads may be timed on."""
    return sorted({core for place in places(threads) for core in place})


def move(cores: List[int], process: str = "self") -> None:
    """Keep a process on these cores, with the threads that it has started so far."""
    if not cores:
        return
    folder = "/proc/%s/task" % process
    threads = os.listdir(folder) if os.path.isdir(folder) else ["0"] if process == "self" else []
    for thread in threads:
        with contextlib.suppress(OSError):  # it has ended meanwhile
            os.sched_setaffinity(int(thread), cores)


def _from_file(path: str, pattern: str) -> Optional[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            found = re.search(pattern, file.read(), re.MULTILINE)
    except OSError:
        return None
    return found.group(1).strip() if found else None


def _plain(text: str) -> str:
    """Keep what the result schema allows in a name."""
    allowed = re.sub(r"\(R\)|\(TM\)|[^A-Za-z0-9 .,+_/()=-]|\.(?=\.)", " ", text)
    return re.sub(r"\s+", " ", allowed).strip()[:LONGEST].rstrip()


def gpu() -> Tuple[Optional[str], Optional[str]]:
    """Return the first NVIDIA GPU's name and its driver's version, or (None, None); needs the driver's own tool.

    A slice of a card has the card's name and its own, "NVIDIA H200 MIG 1g.18gb": it is none of that card's speed.
    """
    lines = _nvidia_smi("--query-gpu=name,driver_version", "--format=csv,noheader")
    if not lines:
        return None, None
    name, _, driver = lines[0].partition(",")
    slices = [found.group(1) for found in (re.match(r"\s+(MIG \S+)", line) for line in _nvidia_smi("-L")) if found]
    return _plain(" ".join([name] + slices[:1])), _plain(driver)


def _nvidia_smi(*words):
    """Return the lines that NVIDIA's tool prints; none where it is not there, or fails."""
    if not shutil.which("nvidia-smi"):
        return []
    try:
        told = subprocess.check_output(("nvidia-smi",) + words, stderr=subprocess.DEVNULL, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return []
    return told.decode().splitlines()


def storage(folder: str) -> Optional[str]:
    """Return the file system that a folder lies on, and whether its disk is rotational: "ext4, not rotational".

    As the system says, which a virtual machine may tell otherwise; Linux only.
    """
    try:
        with open(MOUNTS) as file:
            mounts = [line.split() for line in file]
    except OSError:
        return None
    inside = os.path.join(os.path.realpath(folder), "")
    holding = [each for each in mounts if inside.startswith(os.path.join(each[4], ""))]
    if not holding:
        return None
    mount = max(reversed(holding), key=lambda each: len(each[4]))  # of those at one place the last hides the others
    told = [_from_file(ROTATIONAL % (mount[2], up), "^([01])") for up in ("", "../")]
    turns = {"0": ", not rotational", "1": ", rotational"}
    return _plain(mount[mount.index("-") + 1] + turns.get(told[0] or told[1] or "", ""))


def instructions() -> List[str]:
    """Return which of INSTRUCTIONS the processor has: libraries select their kernels by them; Linux only."""
    told = _from_file(CPUINFO, r"^(?:flags|Features)\s*:\s*(.+)$") or ""
    return [name for name in INSTRUCTIONS if name in told.split()]


def has_bfloat16() -> bool:
    """Say whether the processor computes in bfloat16 itself; so it is taken to where the system tells nothing of it."""
    told = instructions()
    return not told or bool(set(told) & set(BFLOAT16))


def _processor() -> str:
    """Return what the processor calls itself, and its family and model: a virtual machine's "AMD EPYC" may be any."""
    told = _from_file(CPUINFO, r"^model name\s*:\s*(.+)$") or platform.processor() or platform.machine()
    numbers = [_from_file(CPUINFO, r"^%s\s*:\s*(\d+)$" % name) for name in ("cpu family", "model")]
    kind = " (family %s, model %s)" % tuple(numbers) if all(numbers) else ""
    return _plain(_plain(told)[: LONGEST - len(kind)] + kind)


def describe(name: Optional[str] = None) -> Dict[str, Any]:
    """Return the `machine` record; `name` overrides the one made from processor, cores and GPU."""
    cpu = _processor()
    memory_kib = _from_file("/proc/meminfo", r"^MemTotal:\s*(\d+)") or "0"
    gpu_name, driver = gpu()
    parts: List[str] = [gpu_name] if gpu_name else [cpu, "%d cores" % cores()]
    return {
        "name": name or re.sub(r"[^a-z0-9]+", "-", " ".join(parts).lower())[-LONGEST:].strip("-"),
        "cpu": cpu,
        "instructions": ", ".join(instructions()) or None,
        "logical_cpus": cores(),
        "memory_bytes": int(memory_kib) * 1024,
        "system": _plain("%s %s" % (platform.system(), platform.release())),
        "gpu": gpu_name,
        "gpu_driver": driver,
        "cpu_governor": _from_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", r"^([a-z_]+)$"),
    }


def free_bytes(device: str) -> Optional[int]:
    """Return how much memory a device has free now, in bytes; None where it is not told."""
    if device == "gpu":
        lines = _nvidia_smi("--query-gpu=memory.free", "--format=csv,noheader,nounits")
        return int(lines[0]) * 2**20 if lines and lines[0].strip().isdigit() else None
    free_kib = _from_file("/proc/meminfo", r"^MemAvailable:\s*(\d+)")
    return int(free_kib) * 1024 if free_kib else None


def resident_bytes(number: int) -> Tuple[int, int]:
    """Return how much memory a process has now and had at most, in bytes; (0, 0) where the system does not tell."""
    told = [_from_file("/proc/%d/status" % number, r"^%s:\s*(\d+)" % name) for name in ("VmRSS", "VmHWM")]
    now, most = (int(each or 0) * 1024 for each in told)
    return now, most


def libraries(own: Sequence[str] = ()) -> List[str]:
    """Return the file names of the numeric libraries mapped into this process (BLAS, OpenMP, CUDA ...); Linux only.

    `own` are parts of the names of a framework's own libraries, which count as well.
    """
    try:
        with open("/proc/self/maps", encoding="utf-8", errors="replace") as file:
            paths = {line.split(None, 5)[5].strip() for line in file if line.count("/") > 0}
    except OSError:
        return []
    names = {os.path.basename(path) for path in paths if ".so" in path}
    return sorted(name for name in names if any(part in name.lower() for part in NUMERIC + tuple(own)))


def packages() -> Dict[str, str]:
    """Return {package: version} of everything installed."""
    try:
        from importlib import metadata  # novm - Python 3.8 and later
    except ImportError:
        import pkg_resources

        return {item.project_name: item.version for item in pkg_resources.working_set}
    return {item.metadata["Name"]: item.version for item in metadata.distributions() if item.metadata["Name"]}


def peak_memory_bytes() -> Optional[int]:
    """Return the most memory that this process has had, in bytes; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None  # Windows has no getrusage
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
