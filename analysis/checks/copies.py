"""The same measurement twice: a line repeated, or the times of a run that stands elsewhere already."""

import hashlib
import json
from collections.abc import Iterator

from analysis import cache
from analysis.checks import Finding, Given, Record, ResultFile
from bench import records

ORDER = 7
ONCE = "each measurement counts once: take the copy out"
SOURCES = ("analysis/checks/copies.py", "bench/schema.json")  # say what is kept of a file

Place = tuple[str, int]  # file, line
Times = list[tuple[int, str]]  # a line's number, and a hash of its run's times


def check(given: Given) -> Iterator[Finding]:
    """Look for each run's times in all other runs, of all results."""
    seen: dict[str, Place] = {}
    for file in given.others:
        for number, times in _known_times(file):
            seen.setdefault(times, (file.name, number))
    for file in given.files:
        copied: dict[str, list[tuple[int, int]]] = {}
        for number, times in _times(file):
            before = seen.setdefault(times, (file.name, number))
            if before != (file.name, number):
                copied.setdefault(before[0], []).append((number, before[1]))
        for name, lines in copied.items():
            yield _finding(file, name, lines)
        yield from _repeated(file)


def _finding(file: ResultFile, name: str, lines: list[tuple[int, int]]) -> Finding:
    number, before = lines[0]
    where = "this file" if name == file.name else name
    more = f", and {len(lines) - 1} more runs of that file" if len(lines) > 1 else ""
    problem = f"expected times of its own, got those of {where}, line {before}{more}"
    return file.finding(number, problem, ONCE)


def _known_times(file: ResultFile) -> Times:
    """Return the times of a file's runs, as they were kept when it was read before."""
    found: Times = cache.recall("times", [cache.file(file.path)], lambda: _times(file), SOURCES)
    return found


def _times(file: ResultFile) -> Times:
    return [(number, _hash(run)) for number, run in file.runs if _can_be_known(run)]


def _can_be_known(run: Record) -> bool:
    """Say whether a run has times that no other run would have by chance."""
    return len(set(_list(run))) > 1


def _hash(run: Record) -> str:
    return hashlib.blake2b(json.dumps(_list(run)).encode(), digest_size=16).hexdigest()


def _list(run: Record) -> list[float]:
    return run.get("block_s") or run.get("epoch_s") or []


def _repeated(file: ResultFile) -> Iterator[Finding]:
    """Yield lines that ask a case twice in one round, which no campaign does unless the round was void."""
    asked: dict[tuple[object, ...], int] = {}
    for number, record in file.records:
        if record["kind"] == "void" and record["kept"] is None:
            asked = {key: line for key, line in asked.items() if key[0] != record["round"]}
        if not records.is_run(record):
            continue
        key = (record["round"], *sorted(record["case"].items()))
        if key in asked:
            yield file.finding(number, f"expected each case once in round {record['round']}, got it again after line "
                               f"{asked[key]}", ONCE)  # fmt: skip
        asked[key] = number
