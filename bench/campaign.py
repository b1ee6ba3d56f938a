"""A campaign is one bench: its file, how it is begun or gone on with, and the records in it."""

import glob
import os
import subprocess
import time
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

from bench import records, registry
from bench.cases import EPOCHS, Case
from bench.errors import BusyError, RecordError

RESULTS = os.path.join(registry.ROOT, "results")
SAME_PLAN = ("profile", "cases", "threads", "revision", "machine", "budget_s")  # what a bench that goes on shares
MEASURED = (
    "import_s", "build_s", "first_step_s", "loss_first", "loss_last", "peak_host_memory_bytes",
    "peak_device_memory_bytes", "code",
)  # fmt: skip
OF_KIND = {  # what only one kind of run measures: single numbers, and lists
    "run": (("wait_s", "steps_per_block", "is_steady", "steady_from", "drift", "was_doubled"),
            ("warm_up_s", "block_s", "block_cpu_s")),
    "epochs": (("steps_per_epoch", "score"), ("epoch_s", "evaluation_s", "losses", "test_scores")),
}  # fmt: skip


def now() -> str:
    """Return the time in UTC as results write it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def revision() -> Tuple[Optional[str], Optional[bool]]:
    """Return the commit of the source and whether files of bench/ differ from it; (None, None) outside git."""
    try:
        head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=registry.ROOT, stderr=subprocess.DEVNULL)
        changed = subprocess.check_output(["git", "status", "--porcelain", "--", "bench"], cwd=registry.ROOT)
    except (OSError, subprocess.SubprocessError):
        return None, None
    return head.decode().strip(), bool(changed.strip())


class Campaign(NamedTuple):
    """One campaign's file and what stands in it; `write` keeps both in step."""

    path: str
    lines: List[Dict[str, Any]]

    @property
    def name(self) -> str:
        """The campaign's name: its file's, without the ending."""
        return os.path.splitext(os.path.basename(self.path))[0]

    def write(self, record: Dict[str, Any]) -> Dict[str, Any]:
        """Append one record, on the disk before this returns."""
        record = dict(record, campaign=self.name)
        records.append(self.path, record)
        self.lines.append(record)
        return record

    def runs(self) -> List[Dict[str, Any]]:
        """Return the records of runs so far, of both kinds."""
        return [line for line in self.lines if line["kind"] in OF_KIND]

    def spent_s(self) -> float:
        """Return the seconds that runs have taken, over every time the campaign was gone on with."""
        return sum(run["duration_s"] for run in self.runs())


def _files(folder: str) -> List[str]:
    return sorted(glob.glob(os.path.join(folder, "*.jsonl")))


def _unfinished(folder: str, bench: Dict[str, Any]) -> Optional[Campaign]:
    """Return the newest campaign that was interrupted while doing the same as `bench`."""
    for path in reversed(_files(folder)):
        records.drop_partial_line(path)
        lines = records.read(path)
        if not lines:
            os.remove(path)  # killed before its first line was whole
        elif lines[-1]["kind"] == "end" or lines[0]["kind"] != "bench":
            continue
        elif all(lines[0][key] == bench[key] for key in SAME_PLAN):
            return Campaign(path, lines)
    return None


def begin(results: str, bench: Dict[str, Any], goes_on: bool = True, below: Tuple[str, ...] = ()) -> Campaign:
    """Open the interrupted campaign that `bench` goes on with, or begin a new one with `bench` as its first record."""
    folder = os.path.join(results, bench["machine"]["name"], *below)
    os.makedirs(folder, exist_ok=True)
    found = _unfinished(folder, bench) if goes_on else None
    if found:
        return found
    name = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
    while os.path.exists(os.path.join(folder, name + ".jsonl")):
        name += "b"
    campaign = Campaign(os.path.join(folder, name + ".jsonl"), [])
    campaign.write(bench)
    return campaign


class Lock:
    """Holds a machine's results folder, so that two benches neither disturb each other's times nor mix their lines."""

    def __init__(self, folder: str) -> None:
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, ".lock")

    def __enter__(self) -> "Lock":
        self.file = open(self.path, "w")
        try:
            import fcntl
        except ImportError:
            return self  # no such lock on Windows
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self.file.close()
            raise BusyError(
                "Another bench is measuring on this machine: the two would disturb each other. Wait for it, "
                "or end it (it goes on where it stopped)."
            ) from None
        return self

    def __exit__(self, *_: Any) -> None:
        self.file.close()


def run_record(
    case: Case,
    reply: Dict[str, Any],
    round_: int,
    position: int,
    started: str,
    cache: str,
    seed: int,
    proof: Optional[str],
) -> Dict[str, Any]:
    """Make a `run` or `epochs` record of a worker's reply; what was not measured is null, never zero."""
    kind = "epochs" if case.task in EPOCHS else "run"
    numbers, lists = OF_KIND[kind]
    record = {name: reply.get(name) for name in MEASURED + numbers}
    record.update({name: reply.get(name, []) for name in lists})
    record.update(
        kind=kind, case=dict(case._asdict()), round=round_, position=position, started=started, cache=cache, seed=seed,
        proof=proof, duration_s=reply["duration_s"], status=reply["status"], reason=reply["reason"],
        error_tail=reply["error_tail"],
    )  # fmt: skip
    return record


def earlier_durations(results: str, machine: str) -> Dict[Tuple[str, str], float]:
    """Return {(case id, "cold" or "warm"): seconds} of past runs; this machine's own outweigh any other's."""
    found: Dict[Tuple[str, str], float] = {}
    folders = sorted(glob.glob(os.path.join(results, "*", "")), key=lambda path: os.path.basename(path[:-1]) == machine)
    for folder in folders:
        for run in _runs_in(folder):
            found[Case(**run["case"]).id, run["cache"]] = run["duration_s"]
    return found


def _runs_in(folder: str) -> Iterator[Dict[str, Any]]:
    for path in _files(folder):
        try:
            lines = records.read(path)
        except RecordError:
            continue  # a broken file costs an estimate here; reading it for a page names the line
        for line in lines:
            if line["kind"] in OF_KIND and line["status"] in ("ok", "timeout"):
                yield line
