"""Tasks of the night: tests that are too slow for the gate. Each part has a record of its last success.

A part is due if its inputs changed and WAIT has passed since its record. The gate names parts that are due, and fails
if one has been due for PATIENCE. If the inputs change later than WAIT after the record, the part is due from the day of
that commit. A part without a record is due from the day on which it was introduced. Days are counted to the commit
that is checked out, so a commit's gate gives the same answer on any day.
"""

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from typing import NamedTuple

import nox

from tasks import green

WAIT, PATIENCE = timedelta(days=7), timedelta(days=14)
NOX = (sys.executable, "-m", "nox", "-s")
SETTINGS = ("noxfile.py", "tasks", "pyproject.toml", "tests/conftest.py", "tests/running.py", "tests/requirements.txt")
NIGHT = "nightly and not environment and not browser and not fault and not alone"  # markers


class Part(NamedTuple):
    """A part of the night: what it runs, and the files and folders on which its result depends."""

    commands: tuple[tuple[str, ...], ...]
    inputs: tuple[str, ...]
    introduced: str = "2026-11-28"


PARTS = {
    "unit": Part(((*NOX, "unit", "--", "-m", NIGHT, f"--tally={green.TALLY}"),), (
        "analysis", "bench", "tests/analysis", "tests/bench", "tests/faults", "tests/hostile", "tests/test_cluster.py",
        *SETTINGS)),
    "environments": Part(((*NOX, "environments", "--", "--all", "--night"),), (
        "bench", "tests/environments", *SETTINGS)),
    "faults": Part(((*NOX, "faults", "--", "-m", "fault and nightly", f"--tally={green.TALLY}"),), (
        "bench", "tests/faults", "tests/numpy_framework", *SETTINGS)),
    "browser": Part(((*NOX, "docs"), (*NOX, "browser", "--", "-m", "browser", f"--tally={green.TALLY}")), (
        "analysis", "bench", "docs", "overrides", "mkdocs.yml", "tests/site", "tests/hostile", *SETTINGS)),
    "fresh": Part((("bash", ".ci/fresh"),), (".ci/fresh", "bench", *SETTINGS)),
    "releases": Part(((*NOX, "unit", "--", "-m", "alone", f"--tally={green.TALLY}"),), (
        "analysis", "bench", "tests/test_planted_release.py", *SETTINGS), introduced="2026-11-29"),
    "growth": Part(((*NOX, "growth"),), ("analysis", "tests/analysis", *SETTINGS)),
}  # fmt: skip


def due_since(part: Part, inputs_now: green.Hashes, record: green.Record | None, changed: date) -> date | None:
    """Return the day from which on a part is due, which may be in the future; None if its inputs did not change.

    `changed` is the day of the first commit since the record that changed them.
    """
    if record is None:
        return date.fromisoformat(part.introduced)
    if record.inputs == inputs_now:
        return None
    return max(date.fromisoformat(record.date) + WAIT, changed)


def state(since: date | None, today: date) -> str:
    """Return "" if a part is not due, else "due", or "overdue" if it has been due for PATIENCE."""
    if since is None or today < since:
        return ""
    return "overdue" if today - since >= PATIENCE else "due"


def hashes(name: str) -> green.Hashes:
    """Return a hash of a part's inputs."""
    return {"files": green.files_hash(PARTS[name].inputs)}


def check(names: Sequence[str] = tuple(PARTS)) -> tuple[list[str], bool]:
    """Return a line about each part that is due, and whether one is overdue."""
    today = date.fromisoformat(green.git("log", "-1", "--format=%cs") or green.today())
    lines, is_late = [], False
    for name in names:
        record = green.read("nightly", name)
        since = due_since(PARTS[name], hashes(name), record, _changed(name, record, today))
        if status := state(since, today):
            last = f"last passed on {record.date}" if record else "no record yet"
            lines.append(f"{name}: {status} since {since} ({last}): nox -s nightly -- {name}")
        is_late |= status == "overdue"
    return lines, is_late


def run(names: Sequence[str], say: Callable[[str], None]) -> list[str]:
    """Run all parts, even if one fails; report the outcome of each, and return those that failed."""
    lines, failed = [], []
    for name in names:
        begun = time.monotonic()
        problem = _run(name, begun)
        lines.append(f"{name}: {problem or 'passed'}, {time.monotonic() - begun:.0f} s")
        failed += [name] if problem.startswith("failed") else []
    say("\n".join(["Parts of the night:", *lines]))
    return failed


def _run(name: str, begun: float) -> str:
    """Run a part, and write its record if it passed; return what is wrong, "" if nothing is."""
    before, was_clean, environ = hashes(name), green.is_clean(), {**os.environ, "CI": "1"}
    green.TALLY.unlink(missing_ok=True)
    for command in PARTS[name].commands:
        if subprocess.run(command, cwd=green.ROOT, env=environ, check=False).returncode:
            return f"failed: {' '.join(command[2:] if command[:1] == NOX[:1] else command)}"
    if not (was_clean and green.is_clean() and before == hashes(name)):
        return "passed, but no record is written, because the working tree has changes that are not committed"
    record = green.record_of(green.last_tests(), before) or green.Record(before, green.today(), 0.0, 0, {}, [])
    green.write("nightly", name, record._replace(seconds=round(time.monotonic() - begun, 1), tests=[]))
    return ""


def _changed(name: str, record: green.Record | None, today: date) -> date:
    """Return the day of the first commit after the one of the record that changed a part's inputs.

    In a clone without that commit it is today, so that no part is overdue there.
    """
    since = green.git("log", "-1", "--format=%H", "--", str(green.path("nightly", name)))
    if not since or record is None:
        return today
    days = green.git("log", "--format=%cs", f"{since}..HEAD", "--", *PARTS[name].inputs).split()
    is_shallow = green.git("rev-parse", "--is-shallow-repository") == "true"
    return date.fromisoformat(days[-1] if days else str(today) if is_shallow else record.date)


@nox.session
def nightly(session: nox.Session) -> None:
    """Run what is too slow for the gate; `-- PART` runs one part.

    The parts are unit, environments, faults, browser, fresh, releases and growth.
    """
    unknown = sorted(set(session.posargs) - PARTS.keys())
    if unknown:
        session.error(f"There is no part {unknown[0]!r}; choose from: {', '.join(PARTS)}.")
    if failed := run(session.posargs or list(PARTS), session.log):
        session.error(f"Failed: {', '.join(failed)}")


@nox.session
def due(session: nox.Session) -> None:
    """Name the parts of `nox -s nightly` that are due, and fail if one has been due for fourteen days."""
    lines, is_late = check()
    session.log("\n".join(["Parts of the night that are due:", *(lines or ["none"])]))
    if is_late:
        session.error("A part has been due for fourteen days: run it on a clean working tree, and commit its record.")
