"""Campaign files: how a bench begins or continues one, and the records in it."""

import contextlib
import glob
import operator
import os
import re
import subprocess
from collections.abc import Mapping
from typing import Any, NamedTuple

from bench import registry
from bench.campaign import estimates
from bench.cases import Case
from bench.driver import node
from bench.files import now
from bench.proof.proof_hashes import timing_hash
from bench.results import lines, plausible, records, schema, void_rules
from bench.results.lines import Bench, End, Epochs, Line, Run, Void
from bench.results.plausible import AnyRun
from bench.results.records import AnyLine

CARRIED = os.path.join(registry.ROOT, "revision.txt")
# equal in a bench and the campaign that it continues
PLAN = operator.attrgetter("profile", "cases", "threads", "revision", "machine", "budget_s", "node")
OF_DRIVER = frozenset((  # fields of a run that no reply holds
    "kind", "campaign", "seal", "case", "round", "group", "position", "started", "cache", "seed", "proof", "timing",
))  # fmt: skip


def revision() -> tuple[str | None, bool | None]:
    """Return (commit of the source, whether files of bench/ differ from it); (None, None) if unknown.

    For source without its repository, the file CARRIED holds both, in the form of `git describe --always --abbrev=40
    --dirty`; it has precedence.
    """
    with contextlib.suppress(OSError, UnicodeDecodeError), open(CARRIED, encoding="utf-8") as file:
        match = re.fullmatch(r"([0-9a-f]{40})(-dirty)?\s*", file.read())
        if match:
            return match.group(1), bool(match.group(2))
    unlocked = dict(os.environ, GIT_OPTIONAL_LOCKS="0")  # otherwise an interrupt would leave the lock of `git status`
    try:
        head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=registry.ROOT, stderr=subprocess.DEVNULL)
        changed = subprocess.check_output(
            ["git", "status", "--porcelain", "--", "bench"], cwd=registry.ROOT, env=unlocked
        )
    except (OSError, subprocess.SubprocessError):
        return None, None
    return head.decode().strip(), bool(changed.strip())


class CampaignFile(NamedTuple):
    """A campaign's file and its lines; `write` updates both."""

    path: str
    lines: list[Line]

    @property
    def name(self) -> str:
        """The campaign's name: the file's name without its ending."""
        return os.path.splitext(os.path.basename(self.path))[0]

    def write(self, line: AnyLine) -> AnyLine:
        """Append one line under the campaign's name; return it. It is on the disk when this returns."""
        line = schema.changed(line, campaign=self.name)
        line.seal = records.seal(schema.content(line), (self.lines[-1].seal or "") if self.lines else "")
        records.append(self.path, schema.content(line))
        self.lines.append(line)
        return line

    def end(self, reason: str) -> None:
        """Write the last line of a finished campaign, with the reason why it ended."""
        rounds = max([run.round for run in self.runs() if run.status == "ok"], default=0)
        self.write(End(campaign=self.name, ended=now(), rounds=rounds, reason=reason))

    def runs(self) -> list[Run | Epochs]:
        """Return the run records so far, of both kinds, without those of void rounds."""
        return void_rules.standing(self.lines)

    def voids(self, question: str, round_: int) -> list[Void]:
        """Return the `void` lines of one round of a question."""
        voids = records.of_class(self.lines, Void)
        return [line for line in voids if (line.question, line.round) == (question, round_)]

    def spent_s(self) -> float:
        """Return the seconds for which runs used the machine, including void ones and earlier sittings."""
        return sum(line.duration_s for line in self.lines if isinstance(line, (Run, Epochs)))


def begin(results: str, bench: Bench, goes_on: bool = True, below: tuple[str, ...] = ()) -> CampaignFile:
    """Open the interrupted campaign that `bench` continues, or begin one with `bench` as its first line.

    A new campaign never begins before the newest in its folder. If the clock was set back, it takes that one's
    `started`, so that names keep the order of measurement. Nodes that share the folder see only their own files, since
    the others are being written. Raises RecordError for a file with a wrong line or seal.
    """
    folder, end = os.path.join(results, bench.machine.name, *below), f"{node.suffix(bench.node)}.jsonl"
    os.makedirs(folder, exist_ok=True)
    started = [bench.started]
    for campaign in [CampaignFile(path, records.read(path)) for path in _of_node(folder, end)]:
        if not campaign.lines:
            os.remove(campaign.path)  # the bench was killed before its first line was complete
        elif isinstance(campaign.lines[0], Bench):
            if goes_on and not isinstance(campaign.lines[-1], End) and PLAN(campaign.lines[0]) == PLAN(bench):
                records.complete(campaign.path)
                return campaign
            started.append(campaign.lines[0].started)
    name = re.sub("[-:Z]", "", max(started)).replace("T", "-")
    while os.path.exists(os.path.join(folder, name + end)):
        name += "b"
    campaign = CampaignFile(os.path.join(folder, name + end), [])
    campaign.write(schema.changed(bench, started=max(started)))
    return campaign


def _of_node(folder: str, end: str) -> list[str]:
    """Return the campaigns of a folder whose names end so, the newest first; without a number, those without any."""
    paths = sorted(glob.glob(os.path.join(folder, f"*{end}")), reverse=True)
    return [path for path in paths if node.NUMBERED in end or node.NUMBERED not in os.path.basename(path)]


class Where(NamedTuple):
    """The place of a run in its campaign."""

    round: int  # of its question
    group: int  # of runs that were alive at once, from 0
    position: int  # among those, in the order of their starts


def run_record(
    case: Case, reply: Mapping[str, Any], where: Where, started: str, cache: str, seed: int, proof: str | None
) -> Run | Epochs:
    """Return the line of a worker's reply; unmeasured fields are null, never zero.

    A reply that breaks the schema, for example with a NaN loss, becomes a failed run, so that the campaign continues.
    """
    kind = lines.KINDS[records.KIND_OF_TASK[case.task]]
    fields, needed = schema.fields(kind), schema.required(kind)
    content = {name: reply[name] for name in fields if name in reply and name not in OF_DRIVER}
    lacking = [name for name in needed if name not in reply and name not in OF_DRIVER]
    content.update({name: None if schema.is_optional(fields[name]) else [] for name in lacking})
    content.update(
        kind=records.KIND_OF_TASK[case.task], campaign="unwritten", case=case._asdict(), started=started, cache=cache,
        seed=seed, proof=proof, timing=timing_hash(), **where._asdict(),
    )  # fmt: skip
    problems = schema.problems(content)
    if problems and reply["status"] == "ok":
        reason = f"the run came back with numbers that are none: {'; '.join(problems[:3])}"
        failed = {"status": "failed", "reason": reason, "error_tail": None, "duration_s": reply["duration_s"]}
        return run_record(case, failed, where, started, cache, seed, proof)
    line = schema.read(content)
    assert isinstance(line, (Run, Epochs))  # noqa: S101 - KIND_OF_TASK names no other
    return line


class Writer:
    """Appends runs to a campaign, with status `implausible` and a reason if a run is impossible.

    The context of these checks is gathered once and grows with each line, except by refused runs.
    """

    def __init__(
        self, campaign: CampaignFile, environments: Mapping[str, registry.Environment], known: estimates.Known
    ) -> None:
        self.campaign, self.environments, self.known = campaign, environments, known
        self._gather()

    def write(self, run: AnyRun) -> AnyRun:
        """Append a run, with its status changed if it is impossible; return its line."""
        plausible.learn(self.about, run)
        self.known.learn_peak(run)
        line = self.campaign.write(plausible.judged(run, self.about))
        if line.status == plausible.IMPLAUSIBLE:
            self._gather()
        return line

    def _gather(self) -> None:
        self.about = plausible.context(self.campaign.lines, self.environments)
