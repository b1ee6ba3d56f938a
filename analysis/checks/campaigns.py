"""A campaign as a whole: its first line, its last, its folder, its name, and what each line says of it."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime

from analysis.checks import Finding, Given, Record, ResultFile
from analysis.load.campaigns import PUBLISHED
from bench.results import records

ORDER = 3
EARLIEST_S = datetime(2001, 1, 1, tzinfo=UTC).timestamp()
AGAIN = "measure it again: nox -s bench -- --profile full"


def check(given: Given) -> Iterator[Finding]:
    """Check each campaign."""
    for file in given.files:
        if file.bench is None:
            yield file.finding(1, "expected a line of kind bench first, got something else", AGAIN)
            continue
        yield from _header(file, file.bench, given.now)
        yield from _lines(file, file.bench)
        last = file.lines[-1].line
        if last is None or last["kind"] != "end":
            came = "something wrong" if last is None else last["kind"]
            yield file.finding(len(file.lines), f"expected a line of kind end last, got {came}: the campaign was "
                               "interrupted", "give the same command again, it goes on where it stopped")  # fmt: skip


def _header(file: ResultFile, bench: Record, now: str) -> Iterator[Finding]:
    own = bench["machine"]["name"]
    if own != file.machine:
        yield file.finding(1, f"machine.name: expected {file.machine}, the name of its folder, got {own}",
                           f"call the folder {own}, or measure with --machine {file.machine}")  # fmt: skip
    if bench["campaign"] != file.path.stem or not re.fullmatch(r"\d{8}-\d{6}b*", file.path.stem):
        yield file.finding(1, f"campaign: expected the file's name, made of date and time, got {bench['campaign']}",
                           "give the file the name that the bench gave it")  # fmt: skip
    wanted = ("control",) if file.control else PUBLISHED
    if bench["profile"] not in wanted:
        yield file.finding(1, f"profile: expected {' or '.join(wanted)}, got {bench['profile']}", AGAIN)
    if bench["is_dirty"]:
        yield file.finding(1, "is_dirty: expected false, got true: files of bench/ were changed and not committed",
                           "commit them before measuring, so that others can see what was measured", False)  # fmt: skip
    started = bench["started"]
    if (seconds(started) or 0) < EARLIEST_S or started > now:
        yield file.finding(1, f"started: expected a date until now, got {started}", "set the clock, and measure again")


def _lines(file: ResultFile, bench: Record) -> Iterator[Finding]:
    asked, described = set(bench.cases), set()
    for number, record in file.records:
        kind = record["kind"]
        if record["campaign"] != bench["campaign"]:
            yield file.finding(number, f"campaign: expected {bench['campaign']} on all lines, got {record['campaign']}",
                               "keep each campaign in a file of its own")  # fmt: skip
        if kind == "bench" and number > 1:
            yield file.finding(number, "expected one line of kind bench, got another", AGAIN)
        if kind == "environment":
            described.add(record["environment"])
        if records.is_run(record) and record["case"] not in asked:
            yield file.finding(number, "case: expected one of the cases in the first line, got another", AGAIN)
        is_named = records.is_run(record) and record["status"] == "ok" and file.control is None
        if is_named and record["case"].environment not in described:
            name = record["case"].environment
            yield file.finding(number, f"case.environment: expected a line of kind environment before that describes "
                               f"{name}, got none", AGAIN)  # fmt: skip


def seconds(text: str) -> float | None:
    """Return a time as results write it in seconds since 1970; None where it is none."""
    try:
        return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
