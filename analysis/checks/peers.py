"""What `python -m bench.peers` measured: every line has all fields, with numbers that can be times and ratios."""

from collections.abc import Iterator

from analysis.checks import Finding, Given, is_peers
from analysis.compare import peers
from bench.errors import RecordError

ORDER = 14
ADVICE = "give the file as python -m bench.peers wrote it"


def check(given: Given) -> Iterator[Finding]:
    """Read every file of such measurements."""
    for path in given.paths:
        if not is_peers(path, given.results):
            continue
        try:
            lines = peers.read(path)
        except RecordError as error:
            yield given.finding(path, f"expected right lines, got {ascii(str(error))[:300]}", ADVICE)
            continue
        if wrong := {line.machine.name for line in lines} - {path.parent.parent.name}:
            yield given.finding(path, f"expected the folder's machine, got {ascii(sorted(wrong))[:200]}", ADVICE)
