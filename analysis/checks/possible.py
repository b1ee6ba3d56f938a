"""What cannot be: faster than the machine's ceilings, a wrong unit, no variance, more memory than there is."""

from collections.abc import Iterator
from typing import Any

from analysis.checks import Finding, Given, ResultFile
from bench.results import plausible

ORDER = 5
UNITS = "results are in s, B, FLOP/s (results/README.md); a line that cannot be is never published: measure it again"

LATER_RULE = "a tenth of its blocks"  # begins the reason of a rule that is newer than the field `timing`
OLDER = "nothing: it was published before this rule, and pages show it as a run without a time"


def check(given: Given) -> Iterator[Finding]:
    """Judge each campaign as reading does, and say what it refuses."""
    for file in given.campaigns:
        if file.bench is None:
            continue
        judged: Any = plausible.judge_all([record for _, record in file.records])
        for (number, record), after in zip(file.records, judged, strict=True):
            if after.get("status") == "implausible" and record["status"] == "ok":
                is_older = record.get("timing") is None and after["reason"].startswith(LATER_RULE)
                yield file.finding(number, f"expected what a machine can do, got: {after['reason']}",
                                   OLDER if is_older else UNITS, is_error=not is_older)  # fmt: skip
        yield from _memory(file, int(file.bench["machine"]["memory_bytes"]))
        if not plausible.context(judged).ceilings and file.runs:
            yield file.finding(None, "expected lines of kind ceiling to hold times against, got none: how fast a run "
                               "can be on this machine is unchecked", "nothing, where no framework can time a ceiling "
                               "there; else measure again", False)  # fmt: skip


def _memory(file: ResultFile, memory_bytes: int) -> Iterator[Finding]:
    for number, run in file.runs:
        used = run["peak_host_memory_bytes"] or 0
        if memory_bytes and used > memory_bytes:
            yield file.finding(number, f"peak_host_memory_bytes: expected at most the machine's {memory_bytes}, got "
                               f"{used}", UNITS)  # fmt: skip
