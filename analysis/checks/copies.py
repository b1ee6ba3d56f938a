"""The same measurement twice: a line repeated, or the times of a run that stands elsewhere already."""

import hashlib
import json
from collections.abc import Iterator

from analysis.checks import File, Finding, Given, Record

ORDER = 7
ONCE = "each measurement counts once: take the copy out"

Place = tuple[str, int]  # file, line


def check(given: Given) -> Iterator[Finding]:
    """Look for each run's times in all other runs, of all results."""
    seen: dict[bytes, Place] = {}
    for file in given.others:
        for number, run in file.runs:
            _remember(seen, file, number, run)
    for file in given.files:
        copied: dict[str, list[tuple[int, int]]] = {}
        for number, run in file.runs:
            before = _remember(seen, file, number, run)
            if before:
                copied.setdefault(before[0], []).append((number, before[1]))
        for name, lines in copied.items():
            yield _finding(file, name, lines)
        yield from _repeated(file)


def _finding(file: File, name: str, lines: list[tuple[int, int]]) -> Finding:
    number, before = lines[0]
    where = "this file" if name == file.name else name
    more = f", and {len(lines) - 1} more runs of that file" if len(lines) > 1 else ""
    problem = f"expected times of its own, got those of {where}, line {before}{more}"
    return file.finding(number, problem, ONCE)


def _remember(seen: dict[bytes, Place], file: File, number: int, run: Record) -> Place | None:
    """Return where a run's times stand already, and note where they do from now on."""
    times = run.get("block_s") or run.get("epoch_s")
    if not times or len(set(times)) == 1:
        return None
    key = hashlib.blake2b(json.dumps(times).encode(), digest_size=16).digest()
    before = seen.get(key)
    seen.setdefault(key, (file.name, number))
    return before


def _repeated(file: File) -> Iterator[Finding]:
    """Yield lines that ask a case twice in one round, which no campaign does unless the round was void."""
    asked: dict[tuple[object, ...], int] = {}
    for number, record in file.records:
        if record["kind"] == "void" and record["kept"] is None:
            asked = {key: line for key, line in asked.items() if key[0] != record["round"]}
        if record["kind"] not in ("run", "epochs"):
            continue
        key = (record["round"], *sorted(record["case"].items()))
        if key in asked:
            yield file.finding(number, f"expected each case once in round {record['round']}, got it again after line "
                               f"{asked[key]}", ONCE)  # fmt: skip
        asked[key] = number
