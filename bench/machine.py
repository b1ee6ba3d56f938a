"""Describe this machine without naming its owner: processor, memory, system, GPU, and a name for its results folder."""

import contextlib
import functools
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
LOAD = "import ctypes, sys; ctypes.CDLL(sys.argv[1])"
COMPILERS = {"g++": "CXX"}  # program -> the variable that names another one, which frameworks use then


def cores() -> int:
    """Return how many logical cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def quota_cores() -> Optional[float]:
    """Return how many cores' time the control group allows this process, or None if it is not limited; Linux only."""
    quota = _from_file("/sys/fs/cgroup/cpu.max", r"^(\d+ \d+)$")
    if quota is None:
        parts = [_from_file("/sys/fs/cgroup/cpu/cpu.cfs_%s_us" % name, r"^(\d+)$") for name in ("quota", "period")]
        quota = " ".join(parts) if all(parts) else None
    return int(quota.split()[0]) / int(quota.split()[1]) if quota else None


def usual_threads(logical_cpus: int) -> int:
    """Return the default number of threads of a run: one core is left to the system and the bench.

    Threads on all cores wait for each other, so a process that takes one core for a moment stops all of them.
    """
    return max(1, logical_cpus - 1)


def first_cores(threads: int, place: int = 0) -> List[int]:
    """Return the numbers of the cores that a run is bound to; empty if the system cannot bind processes to cores.

    Runs that start at the same time have separate cores, by their `place`, while there are enough.
    """
    if not hasattr(os, "sched_getaffinity"):
        return []
    usable = sorted(os.sched_getaffinity(0))
    skipped = place % max(1, len(usable) // threads) * threads
    return usable[skipped : skipped + threads]


def places(threads: int) -> List[List[int]]:
    """Return sets of cores that so many threads can be bound to: the first cores, then similar ones.

    Similar cores share the last level of cache with the first, so moving there costs little. If the system does not
    report that, there is one set, which may be empty.
    """
    first = first_cores(threads)
    listed = _from_file(SHARED_CACHE % first[0], r"^([0-9,-]+)$") if first else None
    shared: Set[int] = set()
    for part in listed.split(",") if listed else ():
        low, _, high = part.partition("-")
        shared.update(range(int(low), int(high or low) + 1))
    others = [first_cores(threads, place) for place in range(1, cores() // threads)]
    return [first] + [place for place in others if shared.issuperset(place)]


def timed_cores(threads: int) -> List[int]:
    """Return all cores that so many threads may be timed on."""
    return sorted({core for place in places(threads) for core in place})


def move(cores: List[int], process: str = "self") -> None:
    """Bind a process with all its threads to these cores."""
    folder = "/proc/%s/task" % process
    threads = os.listdir(folder) if os.path.isdir(folder) else ["0"] if process == "self" else []
    for thread in threads if cores else ():
        with contextlib.suppress(OSError):  # it has ended meanwhile
            os.sched_setaffinity(int(thread), cores)


def _from_file(path: str, pattern: str) -> Optional[str]:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            match = re.search(pattern, file.read(), re.MULTILINE)
    except OSError:
        return None
    return match.group(1).strip() if match else None


def _plain(text: str) -> str:
    """Keep what the result schema allows in a name."""
    allowed = re.sub(r"\(R\)|\(TM\)|[^A-Za-z0-9 .,+_/()=-]|\.(?=\.)", " ", text)
    return re.sub(r"\s+", " ", allowed).strip()[:LONGEST].rstrip()


def gpu() -> Tuple[Optional[str], Optional[str]]:
    """Return the first NVIDIA GPU's name and its driver's version, or (None, None); needs the driver's own tool.

    A slice of a card is slower than the card, so its name has both: "NVIDIA H200 MIG 1g.18gb".
    """
    lines = _nvidia_smi("--query-gpu=name,driver_version", "--format=csv,noheader")
    if not lines:
        return None, None
    name, _, driver = lines[0].partition(",")
    slices = re.findall(r"^\s+(MIG \S+)", "\n".join(_nvidia_smi("-L")), re.MULTILINE)
    return _plain(" ".join([name] + slices[:1])), _plain(driver)


def _nvidia_smi(*words):
    """Return the lines that NVIDIA's tool prints; none if it is absent or fails."""
    try:
        output = subprocess.check_output(("nvidia-smi",) + words, stderr=subprocess.DEVNULL, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return []
    return output.decode().splitlines()


def storage(folder: str) -> Optional[str]:
    """Return the file system of a folder, and whether its disk is rotational: "ext4, not rotational"; Linux only.

    A virtual machine may report another kind of disk.
    """
    try:
        with open(MOUNTS) as file:
            mounts = [line.split() for line in file]
    except OSError:
        return None
    inside = os.path.join(os.path.realpath(folder), "")
    above = [mount for mount in mounts if inside.startswith(os.path.join(mount[4], ""))]
    if not above:
        return None
    mount = max(reversed(above), key=lambda mount: len(mount[4]))  # the last one at a place hides the others
    rotational = _from_file(ROTATIONAL % (mount[2], ""), "^([01])") or _from_file(
        ROTATIONAL % (mount[2], "../"), "^([01])"
    )
    kind = {"0": ", not rotational", "1": ", rotational"}.get(rotational or "", "")
    return _plain(mount[mount.index("-") + 1] + kind)


def instructions() -> List[str]:
    """Return which of INSTRUCTIONS the processor has: libraries select their kernels by them; Linux only."""
    flags = (_from_file(CPUINFO, r"^(?:flags|Features)\s*:\s*(.+)$") or "").split()
    return [name for name in INSTRUCTIONS if name in flags]


def has_bfloat16() -> bool:
    """Return whether the processor computes in bfloat16 itself; true if the system does not report that."""
    names = instructions()
    return not names or not set(BFLOAT16).isdisjoint(names)


def _processor() -> str:
    """Return the processor's name, family and model, because "AMD EPYC" of a virtual machine may be any."""
    name = _from_file(CPUINFO, r"^model name\s*:\s*(.+)$") or platform.processor() or platform.machine()
    numbers = [_from_file(CPUINFO, r"^%s\s*:\s*(\d+)$" % field) for field in ("cpu family", "model")]
    kind = " (family %s, model %s)" % tuple(numbers) if all(numbers) else ""
    return _plain(_plain(name)[: LONGEST - len(kind)] + kind)


def describe(name: Optional[str] = None) -> Dict[str, Any]:
    """Return the `machine` record; `name` overrides the one made from processor, cores and GPU."""
    cpu = _processor()
    gpu_name, driver = gpu()
    return {
        "name": name
        or re.sub(r"[^a-z0-9]+", "-", (gpu_name or "%s %d cores" % (cpu, cores())).lower())[-LONGEST:].strip("-"),
        "cpu": cpu,
        "instructions": ", ".join(instructions()) or None,
        "logical_cpus": cores(),
        "memory_bytes": _bytes_in("/proc/meminfo", "MemTotal") or 0,
        "system": _plain("%s %s" % (platform.system(), platform.release())),
        "gpu": gpu_name,
        "gpu_driver": driver,
        "cpu_governor": _from_file("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", r"^([a-z_]+)$"),
    }


def free_bytes(device: str) -> Optional[int]:
    """Return how much memory a device has free now, in bytes; None if that is unknown."""
    if device == "gpu":
        lines = _nvidia_smi("--query-gpu=memory.free", "--format=csv,noheader,nounits")
        return int(lines[0]) * 2**20 if lines and lines[0].strip().isdigit() else None
    return _bytes_in("/proc/meminfo", "MemAvailable")


def _bytes_in(path: str, field: str) -> Optional[int]:
    """Return a field in KiB of a file of /proc, in bytes; None if it is absent."""
    kib = _from_file(path, r"^%s:\s*(\d+)" % field)
    return int(kib) * 1024 if kib else None


def resident_bytes(number: int) -> Tuple[int, int]:
    """Return the memory that a process has now, and had at most, in bytes; (0, 0) if that is unknown."""
    now, most = (_bytes_in("/proc/%d/status" % number, name) or 0 for name in ("VmRSS", "VmHWM"))
    return now, most


def libraries(own: Sequence[str] = ()) -> List[str]:
    """Return the file names of the numeric libraries mapped into this process (BLAS, OpenMP, CUDA ...); Linux only.

    `own` are parts of the names of a framework's libraries, which count as well.
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
    """Return the most memory that this process has had, in bytes; None if the system does not report that."""
    try:
        import resource
    except ImportError:
        return None  # Windows has no getrusage
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


@functools.lru_cache(maxsize=None)
def _has(item: str) -> bool:
    """Return whether a shared library (libopenblas.so) can be loaded, or a program (g++) is on the PATH."""
    if ".so" not in item:
        return shutil.which(os.environ.get(COMPILERS.get(item, ""), item)) is not None
    return subprocess.call([sys.executable, "-c", LOAD, item], stderr=subprocess.DEVNULL) == 0


def missing_packages(needs: Dict[str, str]) -> Optional[str]:
    """Return what the system lacks of {Debian package: program or library}, with the install command, or None."""
    absent = [package for package, item in needs.items() if not _has(item)]
    if not absent:
        return None
    items = " and ".join(needs[package] for package in absent)
    return "the system lacks %s: run apt-get install %s" % (items, " ".join(absent))
