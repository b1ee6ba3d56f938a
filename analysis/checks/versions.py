"""The table of proofs' versions: both hashes of each row are those of the revision that it names."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis import inputs, revisions
from analysis.checks import Finding, Given, proven
from bench import proof
from bench.proof import migration

ORDER = 11
ADVICE = (
    "git checkout main -- bench/proof/proof_versions.csv; the table is of one revision, and no later code changes it"
)

# Run in the folder of a revision: both versions of its hashes, by its own rules.
SCRIPT = """
import json, sys
from bench import hashes, proof_hashes, registry
known, found, both = registry.environments(), [], (hashes, proof_hashes)
for environment, workload, mode, told in json.load(sys.stdin):
    row, loaded = known[environment], dict(each.split(" ", 1) for each in told.split(", ") if each)
    problems = [version.problem_hash(workload) for version in both]
    proofs = [version.of_mode(version.proof_hash(workload, row, loaded), row, mode) for version in both]
    found.append(problems + proofs)
print(json.dumps(found))
"""


def check(given: Given) -> Iterator[Finding]:
    """Recompute the table if all published answers are checked: the table is of them, and takes half a minute."""
    published = {Path(proof.FOLDER, subject.file) for subject in proof.subjects(proof.FOLDER)}
    if published and published <= set(given.paths):
        rows = migration.rows()
        yield from wrong(rows)
        yield from _unknown(given, {row.proof_1 for row in rows})


def wrong(rows: Sequence[migration.Row]) -> Iterator[Finding]:
    """Compare rows of the table with the hashes that the code of their revisions computes."""
    for revision in sorted({row.revision for row in rows}):
        stated = [row for row in rows if row.revision == revision]
        with revisions.source(revision) as folder:
            found = proven.run(SCRIPT, [row[1:5] for row in stated], folder) if folder else []
        if not found:
            yield _finding(f"expected a table of a revision that git knows, got {revision[:12]}")
        for row, wanted in zip(stated, found, strict=False):
            if row[5:] != tuple(wanted):
                yield _finding(f"{row.environment}, {row.workload}: expected {tuple(wanted)}, got {row[5:]}")


def _finding(problem: str) -> Finding:
    return Finding(str(Path(migration.TABLE).relative_to(inputs.ROOT)), None, problem, ADVICE)


def _unknown(given: Given, known: set[str]) -> Iterator[Finding]:
    """Find answers of version 1 that the table does not hold."""
    for path in given.parity:
        recorded = str(proof.sound_answer(str(path))["about"]["proof"])
        if ":" not in recorded and recorded not in known:
            yield given.finding(path, f"expected a proof of version 2, or one that {Path(migration.TABLE).name} holds, "
                                f"got {recorded}", "nox -s parity answers again", is_error=False)  # fmt: skip
