"""What a worker and the bench that started it say to each other: requests, replies, and words between turns."""

import ctypes
import json
import os
import signal
import sys
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from bench import registry
from bench.cases import Case

READY, DONE = b"bench: ready", b"bench: done"  # said after an import alone, when only turns are left, after each
TAIL = 1500  # characters of an error's output that are kept
MARK = "BENCH_CALL"  # environment variable of all processes of a call; its value is the call's folder


class Answer(NamedTuple):
    """Work of `answer`: give parity answers, and save each below a folder."""

    subjects: Sequence[Any]  # `proof.Subject`s of one program
    about: Sequence[Mapping[str, object]]  # saved with the answer of each
    loaded: Dict[str, Optional[str]]  # versions that the framework must still load
    folder: str


class Measure(NamedTuple):
    """Work of `measure`: one run (bench/worker/run.py)."""

    case: Case
    profile: str
    seed: int
    is_first: bool  # of its case in the campaign: its late steps are checked
    data: str = ""  # folder of the prepared data sets
    place: int = 0  # selects the cores on which it starts
    is_beside: bool = False  # it continues to its turns without waiting for a word
    planted: Optional[Tuple[str, int]] = None  # (device or host, percent): a control makes it slower


class Contract(NamedTuple):
    """Work of `contract`: check the adapter's contract."""

    asked: Sequence[Tuple[str, str, Optional[Sequence[str]]]]  # (workload, mode, names of checks; None: every check)


class Loaders(NamedTuple):
    """Work of `loaders`: check that loaders bring the right data."""

    cases: Sequence[Case]
    data: str  # folder of the photographs


class Count(NamedTuple):
    """Work of `count`: count FLOPs and bytes of one step by the framework's own counter."""

    questions: Sequence[Tuple[str, str, int]]  # (workload, task, batch size)


class ControlPart(NamedTuple):
    """Work of `control`: a control's part in an environment (bench/worker/controls.py)."""

    control: str
    workload: str
    mode: str
    seed: int
    beside: str = ""  # what a time is compared with
    sabotage: str = ""  # what replaces the adapter's wait


WORK = {"answer": Answer, "measure": Measure, "contract": Contract, "loaders": Loaders, "count": Count,
        "control": ControlPart}  # fmt: skip


class Request(NamedTuple):
    """What a worker does, and with which framework; `probe` and `ceiling` have no work of their own."""

    kind: str  # a key of WORK, `probe` (what is installed and visible) or `ceiling` (the device's highest rates)
    environment: str
    frameworks: str  # the folder of framework folders
    threads: int
    device: Optional[str] = None  # None: the framework's first
    precision: str = "fp32"
    mode: str = ""  # of all programs; the variables of its ablation are set
    work: Any = None


class Probed(NamedTuple):
    """What a probe has seen in an environment."""

    python: str
    device: str
    loaded: Dict[str, Optional[str]]
    packages: Dict[str, str]
    libraries: List[str]


class Reply(NamedTuple):
    """What a worker returns, or why it returned nothing; each kind of request fills its own fields."""

    status: Any = "ok"  # one of those of bench/results/lines.py
    reason: Optional[str] = None
    error_tail: Optional[str] = None
    duration_s: float = 0.0  # for which it used the machine, by the bench's clock
    probed: Optional[Probed] = None
    measured: Mapping[str, Any] = {}  # fields of a run's line
    metered: Optional[Sequence[float]] = None  # [begin, end] on the system's clock while a program ran for its energy
    checks: Sequence[Any] = ()  # a {sentence: fault} for each that is asked, or a [status, reason] for each loader
    rates: Tuple[Optional[float], Optional[float]] = (None, None)  # FLOP/s in matrix products, bytes/s of memory
    counted: Sequence[Any] = ()  # (FLOPs, bytes) of each question, or None
    tolerance: float = 0.0  # of FLOPs
    about: Mapping[str, str] = {}  # of a control
    series: Mapping[str, List[float]] = {}  # of a control


def without_paths(text: str) -> str:
    """Cut the folders that name this machine or its user, and what cannot be printed, from a text to be published."""
    text = "".join(character for character in text if character.isprintable() or character == "\n")
    for folder, name in ((registry.ROOT, "."), (sys.prefix, "<environment>"), (sys.base_prefix, "<python>"),
                         (os.path.expanduser("~"), "~")):  # fmt: skip
        text = text.replace(folder, name)
    return text


def say(word: bytes) -> None:
    """Say a word to the bench."""
    os.write(_WORDS[0], word + b"\n")


_WORDS = [1]  # where the bench listens


def keep_output_for_words() -> None:
    """Let everything that is printed from now on go to the error stream."""
    sys.stdout.flush()
    _WORDS[0] = os.dup(1)
    os.dup2(2, 1)


def end_with_parent() -> None:
    """Make Linux kill this process if the bench dies, because an orphan process would disturb the next run."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG


def write(path: str, reply: Mapping[str, Any]) -> None:
    """Write the fields of a reply; the file appears when it is complete."""
    with open(path + ".partial", "w", encoding="utf-8") as file:
        json.dump(reply, file)
    os.replace(path + ".partial", path)


def leave() -> None:
    """End this process at once: the reply is written, and a framework's own exit takes up to a second and may crash."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)
