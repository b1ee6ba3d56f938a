"""Campaign files: how a bench begins or continues one, and the records in it."""

import glob
import os
import re
import subprocess
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple

from bench import registry
from bench.campaign import run_history
from bench.cases import Case
from bench.files import now
from bench.proof.proof_hashes import timing_hash
from bench.results import plausible, records, schema

CARRIED = os.path.join(registry.ROOT, "revision.txt")
# equal in a bench and the campaign that it continues
SAME_PLAN = ("profile", "cases", "threads", "revision", "machine", "budget_s")
MEASURED = (
    "import_s", "build_s", "first_step_s", "loss_first", "loss_last", "peak_host_memory_bytes",
    "peak_device_memory_bytes", "code", "compiled", "machine_state",
)  # fmt: skip
OF_KIND = {  # fields of one kind of run: single numbers, and lists
    "run": (("wait_s", "steps_per_block", "is_steady", "steady_from", "drift", "was_doubled"),
            ("warm_up_s", "block_s", "block_cpu_s", "block_order", "block_slowdown")),
    "epochs": (("steps_per_epoch", "score"), ("epoch_s", "evaluation_s", "losses", "test_scores")),
}  # fmt: skip
FEEDING = (  # fields of fed runs
    "loading_s", "loading_cold_s", "loading_bytes", "storage", "waiting_s", "conversion_s", "conversion_bytes",
    "utilization",
)  # fmt: skip
LATE = ("loss_without_dropout", "loss_of_biases", "size_of_outputs")  # fields of checks after the blocks


def revision() -> Tuple[Optional[str], Optional[bool]]:
    """Return (commit of the source, whether files of bench/ differ from it); (None, None) if unknown.

    For source without its repository, the file CARRIED holds both, in the form of `git describe --always --abbrev=40
    --dirty`; it has precedence.
    """
    carried = _carried()
    if carried[0]:
        return carried
    unlocked = dict(os.environ, GIT_OPTIONAL_LOCKS="0")  # otherwise an interrupt would leave the lock of `git status`
    try:
        head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=registry.ROOT, stderr=subprocess.DEVNULL)
        changed = subprocess.check_output(
            ["git", "status", "--porcelain", "--", "bench"], cwd=registry.ROOT, env=unlocked
        )
    except (OSError, subprocess.SubprocessError):
        return None, None
    return head.decode().strip(), bool(changed.strip())


def _carried() -> Tuple[Optional[str], Optional[bool]]:
    try:
        with open(CARRIED, encoding="utf-8") as file:
            found = re.fullmatch(r"([0-9a-f]{40})(-dirty)?\s*", file.read())
    except (OSError, UnicodeDecodeError):
        return None, None
    return (found.group(1), bool(found.group(2))) if found else (None, None)


def void_rounds(lines: Mapping[int, Dict[str, Any]]) -> Dict[Tuple[Optional[str], int], int]:
    """Return {(question, round): index of the last line that makes it void}.

    `lines` are by index. In older results without turns, a round covers all questions, and its question is None.
    """
    voids = ((place, line) for place, line in lines.items() if line["kind"] == "void" and line["kept"] is None)
    return {(line.get("question"), line["round"]): place for place, line in sorted(voids, key=lambda each: each[0])}


def stands(run: Dict[str, Any], place: int, void: Mapping[Tuple[Optional[str], int], int]) -> bool:
    """Return whether a run counts: false if its time belongs to a round that became void later.

    Runs without a time keep their reason and count.
    """
    if run["status"] != "ok" or not void:
        return True
    return all(place > void.get((question, run["round"]), -1) for question in (None, Case(**run["case"]).question))


def standing(lines: List[Dict[str, Any]]) -> List[Dict[str, Any]]:
    """Return the runs, of both kinds, that count."""
    void = void_rounds(dict(enumerate(lines)))
    return [line for place, line in enumerate(lines) if line["kind"] in OF_KIND and stands(line, place, void)]


class CampaignFile(NamedTuple):
    """A campaign's file and its lines; `write` updates both."""

    path: str
    lines: List[Dict[str, Any]]

    @property
    def name(self) -> str:
        """The campaign's name: the file's name without its ending."""
        return os.path.splitext(os.path.basename(self.path))[0]

    def write(self, record: Dict[str, Any]) -> Dict[str, Any]:
        """Append one record; it is on the disk when this returns."""
        record = dict(record, campaign=self.name)
        record["seal"] = records.seal(record, self.lines[-1].get("seal", "") if self.lines else "")
        records.append(self.path, record)
        self.lines.append(record)
        return record

    def runs(self) -> List[Dict[str, Any]]:
        """Return the run records so far, of both kinds, without those of void rounds."""
        return standing(self.lines)

    def voids(self, question: str, round_: int) -> List[Dict[str, Any]]:
        """Return the `void` lines of one round of a question."""
        about = ("void", question, round_)
        return [line for line in self.lines if (line["kind"], line.get("question"), line.get("round")) == about]

    def spent_s(self) -> float:
        """Return the seconds for which runs used the machine, including void ones and earlier sittings."""
        return sum(line["duration_s"] for line in self.lines if line["kind"] in OF_KIND)


def _files(folder: str) -> List[str]:
    return sorted(glob.glob(os.path.join(folder, "*.jsonl")))


def _unfinished(earlier: List[CampaignFile], bench: Dict[str, Any]) -> Optional[CampaignFile]:
    """Return the newest interrupted campaign in `earlier` with the same plan as `bench`, or None."""
    for campaign in reversed(earlier):
        first, last = campaign.lines[0], campaign.lines[-1]
        if first["kind"] == "bench" and last["kind"] != "end" and all(first[key] == bench[key] for key in SAME_PLAN):
            return campaign
    return None


def begin(results: str, bench: Dict[str, Any], goes_on: bool = True, below: Tuple[str, ...] = ()) -> CampaignFile:
    """Open the interrupted campaign that `bench` continues, or begin one with `bench` as its first record.

    A new campaign never begins before the newest in its folder. If the clock was set back, it takes that one's
    `started`, so that names keep the order of measurement. Raises RecordError for a file in the folder with a wrong
    line or seal.
    """
    folder = os.path.join(results, bench["machine"]["name"], *below)
    os.makedirs(folder, exist_ok=True)
    earlier = [CampaignFile(path, records.read(path)) for path in _files(folder)]
    for campaign in [each for each in earlier if not each.lines]:
        os.remove(campaign.path)  # the bench was killed before its first line was complete
        earlier.remove(campaign)
    found = _unfinished(earlier, bench) if goes_on else None
    if found:
        records.mend(found.path)
        return found
    started = max([bench["started"]] + [campaign.lines[0].get("started", "") for campaign in earlier])
    name = re.sub("[-:Z]", "", started).replace("T", "-")
    while os.path.exists(os.path.join(folder, name + ".jsonl")):
        name += "b"
    campaign = CampaignFile(os.path.join(folder, name + ".jsonl"), [])
    campaign.write(dict(bench, started=started))
    return campaign


def end(campaign: Any, rounds: int, reason: str) -> None:
    """Write the last line of a finished campaign; `campaign` may also be a writer that holds lines back."""
    campaign.write({"kind": "end", "ended": now(), "rounds": rounds, "reason": reason})


class Where(NamedTuple):
    """The place of a run in its campaign."""

    round: int  # of its question
    group: int  # of runs that were alive at once, from 0
    position: int  # among those, in the order of their starts


def run_record(
    case: Case, reply: Dict[str, Any], where: Where, started: str, cache: str, seed: int, proof: Optional[str]
) -> Dict[str, Any]:
    """Return the `run` or `epochs` record of a worker's reply; unmeasured fields are null, never zero.

    A reply that breaks the schema, for example with a NaN loss, becomes a failed run, so that the campaign continues.
    """
    kind = records.KIND_OF_TASK[case.task]
    numbers, lists = OF_KIND[kind]
    record = {name: reply.get(name) for name in MEASURED + numbers}
    record.update({name: reply.get(name, []) for name in lists})
    record.update({name: reply[name] for name in FEEDING + LATE if name in reply})
    record.update(
        kind=kind, case=dict(case._asdict()), started=started, cache=cache, seed=seed, proof=proof,
        timing=timing_hash(),
        duration_s=reply["duration_s"], status=reply["status"], reason=reply["reason"], error_tail=reply["error_tail"],
        **where._asdict(),
    )  # fmt: skip
    problems = schema.problems(dict(record, campaign="unwritten"))
    if problems and reply["status"] == "ok":
        reason = "the run came back with numbers that are none: %s" % "; ".join(problems[:3])
        failed = {"status": "failed", "reason": reason, "error_tail": None, "duration_s": reply["duration_s"]}
        return run_record(case, failed, where, started, cache, seed, proof)
    return record


class Writer:
    """Appends runs to a campaign, with status `implausible` and a reason if a run is impossible.

    The context of these checks is gathered once and grows with each line, except by refused runs.
    """

    def __init__(
        self, campaign: CampaignFile, environments: Dict[str, registry.Environment], known: run_history.Known
    ) -> None:
        self.campaign, self.environments, self.known = campaign, environments, known
        self._gather()

    def write(self, run: Dict[str, Any]) -> Dict[str, Any]:
        """Append a run; return its line."""
        plausible.learn(self.about, run)
        self.known.learn_peak(run)
        line = self.campaign.write(plausible.judged(run, self.about))
        if line["status"] == "implausible":
            self._gather()
        return line

    def _gather(self) -> None:
        self.about = plausible.context(self.campaign.lines, self.environments)
