"""Which environments must be tested again: what their tests depend on, and when they last passed.

The function `inputs` finds the files on which an environment's tests depend. They are its framework's folder, its
pins, and all that a worker and the tests import or load by name. A record in tests/green/environments holds a hash of
these files from the last time that all tests passed. If a hash differs, the tests run again. Docstrings do not count.
Nothing is installed or run here. No hash depends on Git or on a folder's place.
"""

import ast
import functools
import json
import os
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, NamedTuple

from analysis import cache
from bench import own_controls, registry

ROOT = Path(__file__).resolve().parent.parent
GREEN = ROOT / "tests" / "green"
TALLY = Path(registry.STATE, "tally.json")  # what became of each test that a session ran last
SHARED = (
    "bench/worker/__main__.py", "tests/environments", "tests/conftest.py", "tests/running.py", "tests/tally.py",
    "tests/requirements.txt", "tasks/installing.py", "tasks/requirements.txt",
)  # fmt: skip
SHOWN = {"title", "released", "built_for", "printed", "color", "marker", "differs", "folder", "is_default"}
DATASET = re.compile(r'^DATASET = "(\w+)"', re.MULTILINE)
IMPORT = re.compile(r"^\s*(?:from|import) (\w+)", re.MULTILINE)

LEFT_OUT = {"__pycache__", "node_modules", "generated", "green"}  # folders that hold no input of a test

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)

Hashes = dict[str, str]  # what it is of -> hash
Tests = Mapping[str, Mapping[str, Any]]  # test -> outcome, environment, reason and seconds, as in tests/tally.py


class Record(NamedTuple):
    """The last time that tests passed, as a file in tests/green holds it."""

    inputs: Hashes
    date: str  # as "2026-11-28"
    seconds: float
    passed: int
    skipped: dict[str, str]  # test -> reason
    tests: list[str]


def inputs(row: registry.Environment) -> Hashes:
    """Return a hash of each group of files that an environment's tests depend on."""
    names = sorted(path.stem for path in (ROOT / "bench/workloads").glob("*.py") if not path.stem.startswith("__"))
    answered = [name for name in names if registry.answers(row, name)]
    workloads = _with_imports("workloads", answered)
    groups = {
        "worker and tests": set(cache.files(SHARED)),
        "framework folder": _framework(row, names, answered),
        "workloads": workloads,
        "oracle": _with_imports("oracle", answered),
        "ablations": _with_imports("ablations", [path.stem for path in Path(row.folder, "ablations").glob("*.py")]),
        "data sets": _datasets(workloads),
        "kept answers": _below(f"results/parity/{row.name}"),
    }
    stated = {key: value for key, value in row._asdict().items() if key not in SHOWN}
    hashes = {"pins and Python": cache.digest(json.dumps(stated, sort_keys=True).encode())}
    hashed: set[Path] = set()
    for group, files in groups.items():
        hashes[group] = _hash(files - hashed)
        hashed |= files
    if "count" in own_controls.names(row):  # the rows that count FLOPs share the large networks among them
        hashes["names of workloads"] = cache.digest(*map(str.encode, names))
    return hashes


def why(inputs_now: Hashes, record: Record | None) -> str:
    """Return why tests must run: the groups of files that changed since the record; "" if none did."""
    if record is None:
        return "no record in tests/green"
    names = sorted(inputs_now.keys() | record.inputs.keys())
    changed = [name for name in names if inputs_now.get(name) != record.inputs.get(name)]
    return f"changed since {record.date}: {', '.join(changed)}" if changed else ""


def rotating(names: Sequence[str], commit: str) -> str:
    """Return the environment that a commit's gate tests in any case; over many commits, each has its turn."""
    return names[int(commit[:12], 16) % len(names)]


def choose(names: Sequence[str]) -> dict[str, str]:
    """Return why each environment must be tested at this commit, "" if it need not."""
    reasons = {name: why(hashes, read("environments", name)) for name, hashes in _inputs_of(names).items()}
    turn = rotating(names, commit())
    reasons[turn] = reasons[turn] or "its turn at this commit"
    return reasons


def path(kind: str, name: str) -> Path:
    """Return where a record lies, whether it exists or not."""
    return GREEN / kind / f"{name}.json"


def read(kind: str, name: str) -> Record | None:
    """Return a record of tests/green; None if there is none, or if it cannot be read: then tests run."""
    try:
        return Record(**json.loads(path(kind, name).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write(kind: str, name: str, record: Record) -> None:
    """Write a record of tests/green."""
    file = path(kind, name)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(record._asdict(), indent=1) + "\n", encoding="utf-8")


def record_of(tests: Tests, hashes: Hashes) -> Record | None:
    """Return the record of some tests, as tests/tally.py reports them; None if one failed or none passed."""
    outcomes = [test["outcome"] for test in tests.values()]
    if "passed" not in outcomes or "failed" in outcomes:
        return None
    skipped = {name: test["reason"] for name, test in sorted(tests.items()) if test["outcome"] == "skipped"}
    seconds = round(sum(test["seconds"] for test in tests.values()), 1)
    return Record(hashes, today(), seconds, outcomes.count("passed"), skipped, sorted(tests))


def last_tests() -> Tests:
    """Return what became of each test that a session ran last, as tests/tally.py wrote it; nothing if there is none."""
    tests: Tests = json.loads(TALLY.read_text(encoding="utf-8")) if TALLY.exists() else {}
    return tests


def of_environment(tests: Tests, name: str) -> Tests:
    """Return the tests of an environment."""
    return {test: outcome for test, outcome in tests.items() if outcome["environment"] == name}


def conclude(reasons: Mapping[str, str], absent: Mapping[str, str], tests: Tests) -> str:
    """Return a line about each environment: its tests' outcomes and why they ran, or why they did not run."""
    lines = ["Environments:"]
    for name, reason in reasons.items():
        record = read("environments", name)
        if name in absent:
            line = f"skipped: {absent[name]}"
        elif not reason and record:
            line = f"unchanged since {record.date} ({record.passed} passed, {record.seconds:.0f} s then)"
        else:
            outcomes = of_environment(tests, name).values()
            counts = Counter(test["outcome"] for test in outcomes)
            words = ", ".join(f"{counts[word]} {word}" for word in ("passed", "failed", "skipped") if counts[word])
            line = f"{words or 'no test'}, {sum(test['seconds'] for test in outcomes):.0f} s ({reason})"
        lines.append(f"  {name}: {line}")
    return "\n".join(lines)


def problem(reasons: Mapping[str, str], absent: Mapping[str, str], tests: Tests) -> str:
    """Return why the tests of environments failed, "" if they passed; with CI set, none may be absent."""
    if failed := sorted({str(test["environment"]) for test in tests.values() if test["outcome"] == "failed"}):
        return f"Tests failed in: {', '.join(failed)}."
    if missing := [name for name in reasons if name in absent and "CI" in os.environ]:
        return f"Not installed, which is a failure if CI is set: {', '.join(missing)}."
    return "" if tests else "No test ran."


class Watch:
    """Writes records of environments' tests, unless files changed while the tests ran or were not committed before."""

    def __init__(self, names: Iterable[str]) -> None:
        """Note what the tests of some environments depend on before they run, and forget the last tests' outcomes."""
        TALLY.unlink(missing_ok=True)
        self.was_clean = is_clean()
        self.hashes = _inputs_of(names)

    def keep(self, tests: Tests) -> str:
        """Write the record of each environment whose tests all passed; return in a sentence what was done."""
        if not (self.was_clean and is_clean() and self.hashes == _inputs_of(self.hashes)):
            return "No record is written: the working tree has changes that are not committed."
        records = {name: record for name, hashes in self.hashes.items()
                   if (record := record_of(of_environment(tests, name), hashes))}  # fmt: skip
        for name, record in records.items():
            write("environments", name, record)
        return f"Records written to tests/green/environments: {', '.join(records) or 'none'}."


def files_of(words: Sequence[str]) -> list[str]:
    """Return the test files that hold the name of `-k test_NAME`; none if pytest must read all of them."""
    names = [word.lower() for word in words if not word.startswith("-")]
    if "-k" not in words or len(names) != 1 or not re.fullmatch(r"test_\w+", names[0]):
        return []
    return [str(file.relative_to(ROOT)) for file in sorted(ROOT.glob("tests/**/test_*.py"))
            if names[0] in file.read_text(encoding="utf-8").lower()]  # fmt: skip


def files_hash(names: Iterable[str]) -> str:
    """Return a hash of files and folders, given from the repository's root."""
    return _hash(set().union(*map(_below, names)))


def today() -> str:
    """Return the day, in UTC."""
    return str(datetime.now(timezone.utc).date())


def git(*words: str) -> str:
    """Return what Git prints; "" if it fails, for example outside a repository."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def commit() -> str:
    """Return the hash of the commit that is checked out; zeros outside a repository."""
    return git("rev-parse", "HEAD") or "0" * 40


def is_clean() -> bool:
    """Return whether every file except records is as committed: only then may a record be written."""
    return commit() != "0" * 40 and not git("status", "--porcelain", "--", ".", ":!tests/green")


def _inputs_of(names: Iterable[str]) -> dict[str, Hashes]:
    return {name: inputs(registry.environment(name)) for name in names}


def _with_imports(folder: str, names: Iterable[str]) -> set[Path]:
    """Return the files of these names in a folder of bench/, as far as they exist, with all that they import."""
    return set(cache.files([f"bench/{folder}/{name}.py" for name in names]))


def _below(name: str) -> set[Path]:
    """Return a file, or all files below a folder, without what Git ignores there."""
    return {path for path in (ROOT / name, *(ROOT / name).rglob("*"))
            if path.is_file() and not LEFT_OUT & set(path.relative_to(ROOT).parts)}  # fmt: skip


def _framework(row: registry.Environment, names: Sequence[str], answered: Sequence[str]) -> set[Path]:
    """Return the files of an environment's framework, and the scripts elsewhere that show a defect of its library.

    The file framework.toml is left out, because its row is hashed. So are model files that only other rows answer.
    """
    folder = Path(row.folder)
    wanted = list(answered)
    for name in wanted:  # a model file may import another one of the folder
        imported = set(IMPORT.findall((folder / f"{name}.py").read_text(encoding="utf-8"))) - set(wanted)
        wanted += sorted(other for other in imported & set(names) if (folder / f"{other}.py").exists())
    unused = {folder / f"{name}.py" for name in set(names) - set(wanted)} | {folder / "framework.toml"}
    scripts = {path for path in folder.parent.glob("*/upstream/*.py") if row.name in path.read_text(encoding="utf-8")}
    files = _below(folder.relative_to(ROOT).as_posix()) - unused | scripts
    return set(cache.files([path.relative_to(ROOT).as_posix() for path in files]))


def _datasets(workloads: Iterable[Path]) -> set[Path]:
    """Return the files of the data sets that workloads are trained on, and the data beside them."""
    names = {name for path in workloads for name in DATASET.findall(path.read_text(encoding="utf-8"))}
    data = {path for path in _below("bench/datasets") if path.suffix not in (".py", ".txt")}
    return _with_imports("datasets", names) | (data if names else set())


def _hash(files: Iterable[Path]) -> str:
    named = sorted((path.relative_to(ROOT).as_posix(), path) for path in files)
    return cache.digest(*(part for name, path in named for part in (name.encode(), _content(path))))[:16]


def _content(path: Path) -> bytes:
    """Return a file's content; that of Python code without docstrings, on which no test of an environment depends."""
    content = path.read_bytes()
    return _without_docstrings(content) if path.suffix == ".py" else content


@functools.lru_cache(maxsize=2**12)
def _without_docstrings(code: bytes) -> bytes:
    lines: list[bytes | None] = list(code.split(b"\n"))
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
            docstring = node.body[0]
            begin, end = docstring.lineno - 1, docstring.end_lineno or docstring.lineno
            lines[begin:end] = [None] * (end - begin)
    return b"\n".join(line for line in lines if line is not None)
