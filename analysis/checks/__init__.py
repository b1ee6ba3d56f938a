"""One file per rule that contributed results must keep: `check(given)` yields a Finding for each breach of it.

The first line of a rule's docstring says what it looks at. ORDER is its place: a rule may trust what those before it
found, and passes over the lines that they have refused.
"""

import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from analysis import plugins, series
from analysis.compare.peers import FOLDER as PEERS
from bench import controls, files
from bench.driver import lock, node
from bench.results import records
from bench.results.lines import Bench, Epochs, Line, Run

MOST_BYTES = {".jsonl": 50_000_000, ".npz": 4_000_000}  # the largest published have 0.4 MB each; git hosts take 100 MB
NODE = rf"{node.NUMBERED}[1-9][0-9]*"  # in the name of a file of a node
PLACES = (
    "<machine>/<campaign>.jsonl, <machine>/controls/<control>/<campaign>.jsonl, <machine>/peers/<kind>.jsonl, "
    "parity/<environment>/<workload>.<optimizer>.<mode>.npz, or versions/ with campaigns and parity of releases"
)

LOCK = re.compile(rf"{re.escape(lock.FILE)}({NODE})?")
HISTORY = series.FOLDER.name
_CONTROLS = "|".join((*controls.CONTROLS, *controls.PAST))
_MACHINE = "(?!parity/|versions/)[^/]+"
PLACE = re.compile(
    rf"(versions/)?parity/[^/]+/[^/]+\.npz|versions/{_MACHINE}/[^/]+\.jsonl"
    rf"|{_MACHINE}/(controls/({_CONTROLS})/|peers/)?[^/]+\.jsonl"
)


class Finding(NamedTuple):
    """An error, or a note about what could not be checked."""

    file: str
    line: int | None
    problem: str  # what was expected, and what came
    advice: str  # what to do
    is_error: bool = True


class ResultFile:
    """One file of JSON lines, read when it is first asked for."""

    def __init__(self, path: Path, results: Path) -> None:
        self.path = path
        self.name = shown(path, results)
        *folders, _ = path.relative_to(results).parts
        self.is_history = folders[0] == HISTORY
        self.machine, *below = folders[self.is_history :]
        self.control = below[-1] if below else None

    @cached_property
    def lines(self) -> list[records.Scanned]:
        """Every line, right or wrong."""
        return list(records.scan(str(self.path)))

    @cached_property
    def records(self) -> list[tuple[int, Line]]:
        """Every right line with its number."""
        return [(scanned.number, scanned.line) for scanned in self.lines if scanned.line is not None]

    @property
    def bench(self) -> Bench | None:
        """The first line, where it is what it must be."""
        first = self.lines[0].line if self.lines else None
        return first if isinstance(first, Bench) else None

    @property
    def runs(self) -> list[tuple[int, Run | Epochs]]:
        """The lines of runs, of both kinds, with their numbers."""
        return [(number, line) for number, line in self.records if isinstance(line, Run | Epochs)]

    def finding(self, line: int | None, problem: str, advice: str, is_error: bool = True) -> Finding:
        """Return an error or a note about this file."""
        return Finding(self.name, line, problem, advice, is_error)


@dataclass
class Given:
    """What is checked: `paths` below a `results` folder, beside all else that is there."""

    results: Path
    paths: Sequence[Path]
    answers: Path  # the folder of parity answers
    base: str | None = None  # the revision that all but `paths` is of; None where git does not tell
    own: Sequence[str] = ()  # names of this computer and of its user, which results must not hold
    now: str = "9999"  # UTC, as results write it
    fresh: Collection[Path] = ()  # what a contribution brings, where git tells

    @cached_property
    def files(self) -> list[ResultFile]:
        """The files of lines."""
        return [ResultFile(path, self.results) for path in self.paths if is_lines(path, self.results)]

    @property
    def campaigns(self) -> list[ResultFile]:
        """The files of benches that have a first line, without those of controls."""
        return [file for file in self.files if file.control is None and file.bench]

    @property
    def parity(self) -> list[Path]:
        """The parity answers."""
        return [path for path in self.paths if path.suffix == ".npz" and not place_problem(path, self.results)]

    def finding(self, path: Path, problem: str, advice: str, is_error: bool = True) -> Finding:
        """Return an error or a note about a file as a whole."""
        return Finding(shown(path, self.results), None, problem, advice, is_error)

    @property
    def others(self) -> Iterator[ResultFile]:
        """Every other file of a bench in the results."""
        checked = {file.path for file in self.files}
        for path in everything(self.results):
            if path not in checked and is_lines(path, self.results):
                yield ResultFile(path, self.results)


def found() -> dict[str, ModuleType]:
    """Return every rule's module by its name, in the order of their ORDER."""
    return plugins.modules(__name__)


def shown(path: Path, results: Path) -> str:
    """Return what findings call a file, in ASCII: its name may be anything."""
    return ascii(f"results/{path.relative_to(results).as_posix()}")[1:-1][:200]


def everything(folder: Path) -> list[Path]:
    """Return every file and link below a folder but the locks that a bench leaves there; links are not followed."""
    paths = [Path(place, name) for place, folders, names in os.walk(folder) for name in (*folders, *names)]
    files = ((path, path.lstat()) for path in paths if path.is_symlink() or not path.is_dir())
    # A lock is empty. Another file that has its name is checked.
    return sorted(path for path, status in files
                  if not LOCK.fullmatch(path.name) or not stat.S_ISREG(status.st_mode) or status.st_size)  # fmt: skip


def place_problem(path: Path, results: Path) -> str | None:
    """Return why a file cannot lie where it does, or under its name; None where it can."""
    below = path.relative_to(results)
    if below.parts == ("README.md",):
        return None
    for name in (*below.parts[:-1], below.stem):
        if problem := files.name_problem(name):
            return problem
    above = [parent for parent in path.parents if results in parent.parents]
    if not stat.S_ISREG(path.lstat().st_mode) or any(parent.is_symlink() for parent in above):
        return "expected a file, got a link or something else"
    place = below.as_posix()
    return None if PLACE.fullmatch(place) else f"expected {PLACES}, got {ascii(place)[:200]}"


def is_lines(path: Path, results: Path) -> bool:
    """Say whether a file is one of JSON lines of runs that may be read."""
    return _may_be_read(path, results) and path.parent.name != PEERS


def is_peers(path: Path, results: Path) -> bool:
    """Say whether a file has measurements of other tools that may be read."""
    return _may_be_read(path, results) and path.parent.name == PEERS


def _may_be_read(path: Path, results: Path) -> bool:
    is_right = path.suffix == ".jsonl" and not place_problem(path, results)
    return is_right and path.stat().st_size <= MOST_BYTES[".jsonl"]
