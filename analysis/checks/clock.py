"""When a campaign was measured: its name, its runs one after the other, and nothing longer than the campaign itself."""

import functools
from collections.abc import Iterator

from analysis import cache
from analysis.checks import Finding, Given, ResultFile
from analysis.checks.campaigns import AGAIN, seconds
from analysis.groups import collected
from bench.driver import node
from bench.results.lines import End

ORDER = 13
NAME_S = 2.0  # between the time in a name and `started`: both are read within one second
SLACK_S = 60.0  # by which a system's clock may be set while a campaign runs
SOURCES = ("analysis/checks/clock.py", "bench/results/lines.py")
COPIED = "give the file as the bench wrote it; a file that was copied or made from another is never published"

Span = tuple[str, float, float, int | None]  # a file's name, seconds since 1970 when it began and ended, its node


def check(given: Given) -> Iterator[Finding]:
    """Check the times of each campaign, and whether another ran on its machine at the same time."""
    for file in given.files:
        if (span := _span(file)) is None:
            continue
        named = seconds(file.path.stem.partition(node.NUMBERED)[0].rstrip("b"), "%Y%m%d-%H%M%S")
        if file.bench and (named is None or abs(named - span[1]) > NAME_S):
            yield file.finding(1, f"started: expected the time in the file's name, {file.path.stem}, got "
                               f"{file.bench.started}", COPIED)  # fmt: skip
        yield from _runs(file, span)
    yield from _at_once(given)


def _span(file: ResultFile) -> Span | None:
    """Return when a whole campaign began and ended; None where its lines do not say."""
    last = file.lines[-1].line if file.lines else None
    if file.bench is None or not isinstance(last, End):
        return None
    begin, end = seconds(file.bench.started), seconds(last.ended)
    return None if begin is None or end is None else (file.name, begin, end, file.bench.node)


def _runs(file: ResultFile, span: Span) -> Iterator[Finding]:
    """Yield runs that begin outside of their campaign, before the run above them, or take longer than was left."""
    _, begin, end, _ = span
    if end < begin:
        yield file.finding(len(file.lines), "ended: expected a time after `started`, got one before", AGAIN)
    latest = begin
    for number, run in file.runs:
        started = seconds(run.started)
        if started is None or run.status != "ok":
            continue
        if not begin - SLACK_S <= started <= end + SLACK_S:
            yield file.finding(number, f"started: expected a time within the campaign, got {run.started}", COPIED)
        elif started < latest - SLACK_S:
            yield file.finding(number, f"started: expected a time after that of the run before, got {run.started}",
                               COPIED)  # fmt: skip
        elif started + run.duration_s > end + SLACK_S:
            yield file.finding(number, f"duration_s: expected at most the {end - started:.0f} s to the campaign's end, "
                               f"got {run.duration_s:.0f}", COPIED)  # fmt: skip
        latest = max(latest, started)


def _at_once(given: Given) -> Iterator[Finding]:
    """Yield campaigns of one machine's name that overlap, unless their nodes differ.

    A finding is a note, since several computers may be of one kind.
    """
    kept = ((file.machine, cache.recall("spans", [file.name, cache.file(file.path)], functools.partial(_span, file),
                                        SOURCES)) for file in given.others)  # fmt: skip
    spans = collected((machine, span) for machine, span in kept if span)
    for file in given.files:
        if (span := _span(file)) is None:
            continue
        for name, begin, end, other in spans.setdefault(file.machine, []):
            are_two_nodes = None not in (other, span[3]) and other != span[3]
            if not are_two_nodes and min(end, span[2]) - max(begin, span[1]) > SLACK_S:
                problem = f"expected one campaign at a time on a machine, got one that overlaps {name}"
                yield file.finding(1, problem, "nothing, where they ran on two computers of one kind; else measure "
                                   "again: each disturbed the other", False)  # fmt: skip
        spans[file.machine].append(span)
