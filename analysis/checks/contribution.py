"""Check contributed results, and say of each finding where it is, what was expected, what came and what to do."""

import contextlib
import getpass
import os
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from analysis import checks, inputs, revisions, units
from analysis.checks import Finding, Given
from analysis.groups import grouped
from bench import files
from bench.errors import BenchError
from bench.units import printable

RESULTS = inputs.ROOT / "results"
NOBODY = ("root", "user", "admin", "runner", "runneradmin", "ubuntu", "debian", "docker", "localhost", "nobody")
SHORTEST_NAME = 4  # characters: a shorter one is part of anything
MOST_ALIKE = 3  # findings of one kind in one file that are shown in full


class CheckError(BenchError):
    """What is to be checked is not there, or a preview cannot be built."""


class Checked(NamedTuple):
    """What was checked, and what was found."""

    what: str
    findings: Sequence[Finding]

    @property
    def errors(self) -> int:
        """How many findings are errors."""
        return sum(finding.is_error for finding in self.findings)


def check(given: Given, without: Sequence[str] = ()) -> list[Finding]:
    """Return all findings of all rules but some, by file and line."""
    rules = [rule for name, rule in checks.found().items() if name not in without]
    return _ordered([finding for rule in rules for finding in rule.check(given)])


def _ordered(findings: Sequence[Finding]) -> list[Finding]:
    return sorted(findings, key=lambda finding: (finding.file, not finding.is_error, finding.line or 0))


def contributed(paths: Sequence[Path], results: Path, against: str | None, is_all: bool) -> Checked:
    """Check the `paths` below `results`; of none, what differs from main where git tells, else everything.

    Raises:
        CheckError: for a path that is not there, or not below the results folder.
    """
    results = Path(os.path.abspath(results))
    base = revisions.base(against) if results == RESULTS else None
    fresh = revisions.added(base, results) if base else []
    if paths:
        chosen, what = [file for path in paths for file in _below(path, results)], units.listing(map(str, paths))
    elif fresh and not is_all:
        chosen, what = fresh, f"what differs from {against or 'main'}"
    else:
        chosen, what = checks.everything(results), "all results"
    own_answers = results / "parity"
    answers = own_answers if own_answers.is_dir() else RESULTS / "parity"
    given = Given(results, sorted(set(chosen)), answers, base, own_names(), files.now(), fresh)
    return Checked(f"{what}: {units.count(len(given.paths), 'file')}", check(given))


def _below(path: Path, results: Path) -> list[Path]:
    whole = Path(os.path.abspath(path))
    if results not in (whole, *whole.parents):
        raise CheckError(f"{path} is not below {results.name}/. Copy it there, or name its folder with --results.")
    if not os.path.lexists(whole):
        raise CheckError(f"{path} is not there. Name a file or folder below {results.name}/, or nothing.")
    is_folder = whole.is_dir() and not whole.is_symlink()
    return checks.everything(whole) if is_folder else [whole]


def own_names() -> list[str]:
    """Return this computer's name and its user's, where they say whose it is."""
    names = [platform.node().split(".")[0]]
    with contextlib.suppress(KeyError, OSError):  # a user without a name
        names.append(getpass.getuser())
    return [name for name in names if len(name) >= SHORTEST_NAME and name.lower() not in NOBODY]


def text(checked: Checked) -> str:
    """Return everything as text for a terminal; text of results is in it, so no line begins with it."""
    parts = []
    for finding in _few(checked.findings):
        where = finding.file + (f", line {finding.line}" if finding.line else "")
        parts += [f"{'error' if finding.is_error else 'note '} {printable(where)}",
                  f"      {printable(finding.problem)}", f"      to do: {printable(finding.advice)}"]  # fmt: skip
    notes = len(checked.findings) - checked.errors
    answer = "cannot be taken as it is" if checked.errors else "can be taken"
    counts = f"{units.count(checked.errors, 'error')}, {units.count(notes, 'note')}"
    return "\n".join([*parts, f"Checked {printable(checked.what)}. It {answer}: {counts}."])


def _few(findings: Sequence[Finding]) -> list[Finding]:
    """Leave out what is alike in one file, and say how often."""
    alike = grouped(findings, lambda each: (each.file, each.problem.split(":")[0], each.advice, each.is_error))
    shown = []
    for (_, what, _, _), group in alike.items():
        shown += group[:MOST_ALIKE]
        if len(group) > MOST_ALIKE:
            more = f"and so on ({what} ...), in {len(group) - MOST_ALIKE} lines from this one on"
            shown.append(group[MOST_ALIKE]._replace(problem=more))
    return _ordered(shown)
