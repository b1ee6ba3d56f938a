"""The table of proofs' versions: both hashes of each row are those of the revision that it names.

Run as a program (`python -m analysis.checks.versions`), it writes the table anew, of the commit that is checked out.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from analysis import inputs, revisions
from analysis.checks import Finding, Given
from bench import ablations, proof, registry
from bench.proof import migration
from bench.proof.migration import Row
from bench.results import records

ORDER = 11
ADVICE = (
    "git checkout main -- bench/proof/proof_versions.csv; the table is of one revision, and no later code changes it"
)
TIMEOUT_S = 600
Asked = tuple[str, str, str, str]  # environment, workload, what an ablation changes, versions

# Run in the folder of a revision: both versions of its hashes, by its own rules.
SCRIPT = """
import json, sys
from bench import hashes, proof_hashes, registry
known, found = registry.environments(), []
for environment, workload, mode, told in json.load(sys.stdin):
    row, loaded = known[environment], dict(each.split(" ", 1) for each in told.split(", ") if each)
    both = []
    for version in (hashes, proof_hashes):
        own = version.of_mode(version.proof_hash(workload, row, loaded), row, mode)
        both.append([version.problem_hash(workload), own])
    found.append(both)
print(json.dumps(found))
"""


def check(given: Given) -> Iterator[Finding]:
    """Recompute the table in the revision that it names, where the published answers are checked."""
    rows = migration.rows()
    if not _is_whole(given):
        return
    named = {row.revision for row in rows}
    for revision in sorted(named):
        own = [row for row in rows if row.revision == revision]
        with revisions.source(revision) as folder:
            found = recomputed([_asked(row) for row in own], revision, folder) if folder else []
        if not found:
            yield _finding(f"expected a table of a revision that git knows, got {revision[:12]}")
        for row, wanted in zip(own, found, strict=False):
            if row != wanted:
                yield _finding(f"{row.environment}, {row.workload}: expected {wanted[5:]}, got {row[5:]}")
    yield from _unknown(given, {row.proof_1 for row in rows})


def _is_whole(given: Given) -> bool:
    """Say whether all published answers are checked: the table is of them, and takes half a minute."""
    own = {Path(proof.FOLDER, subject.file) for subject in proof.subjects(proof.FOLDER)}
    return bool(own) and own <= set(given.paths)


def _finding(problem: str) -> Finding:
    return Finding(f"bench/{Path(migration.TABLE).name}", None, problem, ADVICE, True)


def _unknown(given: Given, known: set[str]) -> Iterator[Finding]:
    """Say which answers of version 1 the table does not hold."""
    for path in given.parity:
        recorded = str(proof.sound_answer(str(path))["about"]["proof"])
        if ":" not in recorded and recorded not in known:
            yield given.finding(path, f"expected a proof of version 2, or one that {Path(migration.TABLE).name} holds, "
                                f"got {recorded}", "nox -s parity answers again", is_error=False)  # fmt: skip


def recomputed(asked: Sequence[Asked], revision: str, folder: Path) -> list[Row]:
    """Return the rows of what is asked, by the code in a folder."""
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run([sys.executable, "-B", "-c", SCRIPT], cwd=folder, env=variables, input=json.dumps(asked),
                          capture_output=True, text=True, timeout=TIMEOUT_S, check=True)  # fmt: skip
    return [
        Row(revision, *each, first[0], second[0], first[1], second[1])
        for each, (first, second) in zip(asked, json.loads(done.stdout), strict=True)
    ]


def _asked(row: Row) -> Asked:
    return row.environment, row.workload, row.mode, row.loaded


def _told(loaded: dict[str, str | None]) -> str:
    return ", ".join(f"{name} {version}" for name, version in proof.versions(loaded))


def _claims(results: Path) -> dict[Asked, set[str]]:
    """Return the proofs of version 1 that answers and runs name, by what they are of."""
    found: dict[Asked, set[str]] = {}
    for subject in proof.subjects(proof.FOLDER):
        about = proof.sound_answer(os.path.join(proof.FOLDER, subject.file))["about"]
        mode = subject.mode if ablations.split(subject.mode)[1] else ""
        key = subject.environment, subject.workload, mode, _told(about["loaded"])
        found.setdefault(key, set()).add(about["proof"])
    for path in sorted(results.glob("*/*.jsonl")):
        lines = records.read(str(path))
        loaded = {line["environment"]: _told(line["loaded"]) for line in lines if line["kind"] == "environment"}
        for run in (line for line in lines if records.is_run(line) and line["status"] == "ok" and line["proof"]):
            case = run["case"]
            mode = case["mode"] if ablations.split(case["mode"])[1] else ""
            key = case["environment"], case["workload"], mode, loaded.get(case["environment"], "")
            found.setdefault(key, set()).add(run["proof"])
    return {key: proofs for key, proofs in found.items() if _is_here(*key)}


def _is_here(environment: str, workload: str, mode: str, loaded: str) -> bool:
    row = registry.environments().get(environment)
    known = {part for part in ablations.parts(ablations.split(mode)[1]) if part in ablations.names()}
    return bool(row and loaded and registry.has_workload(workload) and registry.answers(row, workload)
                and known == set(ablations.parts(ablations.split(mode)[1])))  # fmt: skip


def main() -> None:
    """Write the table of all that answers and runs name, where version 1 of the checked out code is what they name."""
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=inputs.ROOT, text=True).strip()
    claims = _claims(inputs.ROOT / "results")
    with revisions.source(head) as folder:
        if folder is None:
            raise SystemExit("git does not know the revision that is checked out: commit first")
        rows = recomputed(sorted(claims), head, folder)
    kept = [row for row in rows if row.proof_1 in claims[_asked(row)]]
    migration.write(kept)
    print(f"{len(kept)} of {len(rows)} programs are of this code: the others were measured with older code")


if __name__ == "__main__":
    main()
