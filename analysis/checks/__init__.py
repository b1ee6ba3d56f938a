"""One file per rule that contributed results must keep: `check(given)` yields a Finding for each breach of it.

The first line of a rule's docstring says what it looks at. ORDER is its place: a rule may trust what those before it
found, and passes over the lines that they have refused.
"""

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from analysis import plugins
from bench import controls, files
from bench.driver import lock
from bench.results import records, schema

Record = Any

MOST_BYTES = {".jsonl": 50_000_000, ".npz": 4_000_000}  # the largest published have 0.4 MB each; git hosts take 100 MB
PLACES = (
    "<machine>/<campaign>.jsonl, <machine>/controls/<control>/<campaign>.jsonl or "
    "parity/<environment>/<workload>.<optimizer>.<mode>.npz"
)


class Finding(NamedTuple):
    """One thing to mend, or to know."""

    file: str
    line: int | None
    problem: str  # what was expected, and what came
    advice: str  # what to do
    is_error: bool = True


class Numbered(NamedTuple):
    """A record with the number of its line."""

    number: int
    record: Record


class ResultFile:
    """One file of JSON lines, read when it is first asked for."""

    def __init__(self, path: Path, results: Path) -> None:
        self.path = path
        parts = path.relative_to(results).parts
        self.name = shown(path, results)
        self.machine = parts[0]
        self.control = parts[2] if len(parts) == len(("machine", "controls", "control", "file")) else None

    @cached_property
    def lines(self) -> list[records.Scanned]:
        """Every line, right or wrong."""
        return list(records.scan(str(self.path)))

    @cached_property
    def records(self) -> list[Numbered]:
        """Every right line."""
        return [Numbered(scanned.number, scanned.line) for scanned in self.lines if scanned.line is not None]

    @property
    def bench(self) -> Record | None:
        """The first line, where it is what it must be."""
        first: Any = self.lines[0].line if self.lines else None
        return first if first and first["kind"] == "bench" else None

    @property
    def runs(self) -> list[Numbered]:
        """The lines of runs, of both kinds."""
        return [each for each in self.records if records.is_run(each.record)]

    def finding(self, line: int | None, problem: str, advice: str, is_error: bool = True) -> Finding:
        """Return something to mend in this file, or to know."""
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
        """The files of benches, without those of controls."""
        return [file for file in self.files if file.control is None]

    @property
    def parity(self) -> list[Path]:
        """The parity answers."""
        return [path for path in self.paths if path.suffix == ".npz" and not place_problem(path, self.results)]

    def finding(self, path: Path, problem: str, advice: str, is_error: bool = True) -> Finding:
        """Return something to mend, or to know, about a file as a whole."""
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
    entries = sorted(os.walk(folder, followlinks=False))
    files = [Path(place, name) for place, _, names in entries for name in names]
    links = [Path(place, name) for place, names, _ in entries for name in names if Path(place, name).is_symlink()]
    return sorted(path for path in files + links if not _is_lock(path))


def _is_lock(path: Path) -> bool:
    """Say whether a file is a lock, which is empty: what merely has its name is checked as any other."""
    about = path.lstat()
    return path.name == lock.FILE and stat.S_ISREG(about.st_mode) and about.st_size == 0


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
    return None if _is_known_place(below.parts) else f"expected {PLACES}, got {ascii(below.as_posix())[:200]}"


def _is_known_place(parts: tuple[str, ...]) -> bool:
    suffix = Path(parts[-1]).suffix
    if parts[0] == "parity":
        return len(parts) == len(("parity", "environment", "file")) and suffix == ".npz"
    if len(parts) == len(("machine", "controls", "control", "file")):
        return parts[1] == "controls" and parts[2] in (*controls.names(), *controls.PAST) and suffix == ".jsonl"
    return len(parts) == len(("machine", "file")) and suffix == ".jsonl"


def is_lines(path: Path, results: Path) -> bool:
    """Say whether a file is one of JSON lines that may be read."""
    is_right = path.suffix == ".jsonl" and not place_problem(path, results)
    return is_right and path.stat().st_size <= MOST_BYTES[".jsonl"]


def texts(value: object, field: str = "") -> Iterator[tuple[str, str]]:
    """Yield (field, text) of every text in a record, the names of fields included."""
    if isinstance(value, str):
        yield field, value
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from texts(item, f"{field}[{index}]")
    elif isinstance(value, dict):
        for name, item in value.items():
            plain = name if schema.PLAIN.fullmatch(name) else schema.A_NAME
            inner = f"{field}.{plain}".lstrip(".")
            yield inner, name
            yield from texts(item, inner)
