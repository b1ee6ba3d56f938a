"""What was published stays as it was: lines are added, and never changed or taken away."""

from collections.abc import Iterator

from analysis import additions
from analysis.checks import Finding, Given

ORDER = 10
ADVICE = "results are append-only: restore the file (git checkout main -- FILE); a newer campaign supersedes a bad one"


def check(given: Given) -> Iterator[Finding]:
    """Compare with the revision that the results are contributed to; nothing where git does not tell."""
    if given.base is None:
        return
    for path, before in additions.published(given.base, given.results):
        if path.suffix != ".jsonl":
            continue  # answers are given anew when their code changes
        after = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        if after is None or not after.startswith(before):
            came = "nothing: it is gone" if after is None else "other lines"
            yield given.finding(path, f"expected all that {given.base[:12]} has of it, got {came}", ADVICE)
