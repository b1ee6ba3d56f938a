"""A campaign as a whole: its place and name, first and last line, the code that timed it, and the names in cases."""

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime

from analysis import revisions, series
from analysis.checks import Finding, Given, ResultFile
from analysis.load.campaigns import PUBLISHED
from bench import ablations, registry
from bench.driver import node
from bench.results import records
from bench.results.lines import Bench, End, Environment, Epochs, Run

ORDER = 3
EARLIEST_S = datetime(2001, 1, 1, tzinfo=UTC).timestamp()
AGAIN = "measure it again: nox -s bench -- --profile full"
FROM_A_COMMIT = "measure again from a commit of this repository (git switch main; git pull; git status shows no change)"
SCRIPT = """
import json
try:
    from bench.proof import proof_hashes
except ImportError:  # a revision from before bench/ had packages
    from bench import proof_hashes
print(json.dumps(proof_hashes.timing_hash()))
"""


def check(given: Given) -> Iterator[Finding]:
    """Check each campaign; which code timed it only in those that a contribution brings."""
    for file in given.files:
        if file.bench is None:
            yield file.finding(1, "expected a line of kind bench first, got something else", AGAIN)
            continue
        is_fresh = file.path in given.fresh and file.control is None
        yield from _header(file, file.bench, given.now, is_fresh)
        if is_fresh:
            yield from _timing(file, file.bench)
        yield from _lines(file, file.bench)
        if file.control is None:  # controls give environments names of their own
            yield from _names(file)
        last = file.lines[-1].line
        if not isinstance(last, End):
            came = "something wrong" if last is None else records.kind(last)
            yield file.finding(len(file.lines), f"expected a line of kind end last, got {came}: the campaign was "
                               "interrupted", "give the same command again, it goes on where it stopped")  # fmt: skip


def _header(file: ResultFile, bench: Bench, now: str, is_fresh: bool) -> Iterator[Finding]:
    name = bench.machine.name
    if name != file.machine:
        yield file.finding(1, f"machine.name: expected {file.machine}, the name of its folder, got {name}",
                           f"call the folder {name}, or measure with --machine {file.machine}")  # fmt: skip
    number = node.suffix(bench.node)
    if bench.campaign != file.path.stem or not re.fullmatch(rf"\d{{8}}-\d{{6}}b*{number}", file.path.stem):
        made = f"date and time and {number}" if number else "date and time"
        yield file.finding(1, f"campaign: expected the file's name, made of {made}, got {bench.campaign}",
                           "give the file the name that the bench gave it")  # fmt: skip
    wanted = ("control",) if file.control else PUBLISHED
    if bench.profile not in wanted:
        yield file.finding(1, f"profile: expected {' or '.join(wanted)}, got {bench.profile}", AGAIN)
    if bench.is_dirty or (is_fresh and bench.is_dirty is None):
        came = "true: files of bench/ were changed and not committed" if bench.is_dirty else "nothing"
        advice = "commit them before measuring, so that others can see what was measured"
        yield file.finding(1, f"is_dirty: expected false, got {came}", advice, is_fresh)
    started = bench.started
    if (seconds(started) or 0) < EARLIEST_S or started > now:
        yield file.finding(1, f"started: expected a date until now, got {started}", "set the clock, and measure again")


def _timing(file: ResultFile, bench: Bench) -> Iterator[Finding]:
    """Yield what does not name the code of this repository that timed it."""
    revision = bench.revision or ""
    if not revisions.commit(revision):
        yield file.finding(1, f"revision: expected a commit of this repository, got {revision[:12] or 'none'}",
                           FROM_A_COMMIT)  # fmt: skip
        return
    wanted = timing(revision)
    for number, run in file.runs:
        if run.status == "ok" and run.timing != wanted:
            yield file.finding(number, f"timing: expected {wanted or 'no hash'}, the code that times in revision "
                               f"{revision[:12]}, got {run.timing}", FROM_A_COMMIT)  # fmt: skip


def timing(revision: str) -> str | None:
    """Return the hash of the code that times in a revision; None if the revision is older than that hash."""
    timing_hash: str | None = revisions.computed(SCRIPT, None, revision)
    return timing_hash


def _lines(file: ResultFile, bench: Bench) -> Iterator[Finding]:
    asked = set(bench.cases)
    described = set()
    for number, record in file.records:
        if record.campaign != bench.campaign:
            yield file.finding(number, f"campaign: expected {bench.campaign} on all lines, got {record.campaign}",
                               "keep each campaign in a file of its own")  # fmt: skip
        if isinstance(record, Bench) and number > 1:
            yield file.finding(number, "expected one line of kind bench, got another", AGAIN)
        if isinstance(record, Environment):
            described.add(record.environment)
        if not isinstance(record, Run | Epochs):
            continue
        if record.case not in asked:
            yield file.finding(number, "case: expected one of the cases in the first line, got another", AGAIN)
        name = record.case.environment
        if record.status == "ok" and file.control is None and name not in described:
            yield file.finding(number, f"case.environment: expected a line of kind environment before that describes "
                               f"{name}, got none", AGAIN)  # fmt: skip


def _names(file: ResultFile) -> Iterator[Finding]:
    """Yield workloads, environments and modes that this repository does not have, once each."""
    workloads, environments = registry.workload_names(), registry.environments()
    if file.is_history:
        environments |= {release.row.name: release.row for release in series.listed(series.read())}
    first = {(run.case.workload, run.case.environment, run.case.mode): number
             for number, run in reversed(file.runs)}  # fmt: skip
    for (workload, name, mode), number in first.items():
        if workload not in workloads:
            yield file.finding(number, f"case.workload: expected a file of bench/workloads, got {workload}",
                               "contribute the workload first (CONTRIBUTING.md, Add a workload)")  # fmt: skip
        if (environment := environments.get(name)) is None:
            yield file.finding(number, f"case.environment: expected one of {', '.join(environments)}, got {name}",
                               "contribute its framework.toml as well")  # fmt: skip
            continue
        plain, changes = ablations.split(mode)
        modes = [known.name for known in environment.modes]
        if lacking := [part for part in ablations.parts(changes)
                       if not os.path.exists(ablations.path(environment, part))]:  # fmt: skip
            yield file.finding(number, f"case.mode: expected an ablation of {name}, got {', '.join(lacking)}",
                               "contribute its file as well (bench/ablations)")  # fmt: skip
        elif plain not in (*modes, *environment.retired):
            yield file.finding(number, f"case.mode: expected one of {', '.join(modes)}, got {mode}",
                               "give the mode its table in framework.toml as well")  # fmt: skip


def seconds(text: str, form: str = "%Y-%m-%dT%H:%M:%SZ") -> float | None:
    """Return a time of results in seconds since 1970; None where it is none."""
    try:
        return datetime.strptime(text, form).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
