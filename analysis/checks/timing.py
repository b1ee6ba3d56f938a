"""Contributed campaigns name the code that timed them: a commit of this repository, with nothing changed beside it."""

import functools
import os
import subprocess
import sys
from collections.abc import Iterator

from analysis import revisions
from analysis.checks import Finding, Given, Record, ResultFile

ORDER = 12
TIMEOUT_S = 60
SCRIPT = """
try:
    from bench.proof import proof_hashes
except ImportError:  # a revision from before bench/ had packages
    from bench import proof_hashes
print(proof_hashes.timing_hash())
"""
AGAIN = "measure again from a commit of this repository (git switch main; git pull; git status shows no change)"


def check(given: Given) -> Iterator[Finding]:
    """Check the campaigns that a contribution brings; those that are published keep what they name."""
    for file in given.campaigns:
        if file.path in given.fresh and file.bench is not None:
            yield from _campaign(file, file.bench)


def _campaign(file: ResultFile, bench: Record) -> Iterator[Finding]:
    revision = str(bench.get("revision") or "")
    if bench["is_dirty"] is not False:
        yield file.finding(1, "is_dirty: expected false, got another: files of bench/ were changed and not committed, "
                           "so nobody can see what timed these runs", AGAIN)  # fmt: skip
    if not revision or not revisions.is_known(revision):
        yield file.finding(1, f"revision: expected a commit of this repository, got {revision[:12] or 'none'}", AGAIN)
        return
    wanted = _timing(revision)
    for number, run in file.runs:
        if run["status"] == "ok" and run.get("timing") != wanted:
            yield file.finding(number, f"timing: expected {wanted or 'no hash'}, the code that times in revision "
                               f"{revision[:12]}, got {run.get('timing')}", AGAIN)  # fmt: skip


@functools.cache
def _timing(revision: str) -> str | None:
    """Return the hash of the code that times in a revision; None for one that is older than that hash."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    with revisions.source(revision) as folder:
        done = subprocess.run([sys.executable, "-B", "-c", SCRIPT], cwd=folder, env=variables, capture_output=True,
                              text=True, timeout=TIMEOUT_S, check=False)  # fmt: skip
    return done.stdout.strip() or None
