"""Every line by itself: JSON, the schema with its units and names, and the seals that tie lines together."""

from collections.abc import Iterator

from analysis.checks import Finding, Given

ORDER = 2
AS_WRITTEN = "never edit results: give the file as the bench wrote it, or measure again"


def check(given: Given) -> Iterator[Finding]:
    """Check every line of every file."""
    for file in given.files:
        for line in file.lines:
            if line.problem:
                yield file.finding(line.number, line.problem, AS_WRITTEN)
        if not file.lines:
            yield file.finding(None, "expected lines, got an empty file", "take the file out")
            continue
        with file.path.open("rb") as content:
            content.seek(-1, 2)
            if content.read() != b"\n":
                last = len(file.lines)
                yield file.finding(last, "expected a line break at the end, got none: it is cut off", AS_WRITTEN)
        if file.records and not any(each.record.get("seal") for each in file.records):
            yield file.finding(None, "expected each line to end in a seal, got none", "nothing, where it was measured "
                               "before there were seals; else give the file as the bench wrote it", False)  # fmt: skip
