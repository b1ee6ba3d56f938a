"""What was published does not change: lines are added; parity answers and their table change with their code alone."""

import io
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from analysis import inputs, revisions
from analysis.checks import Finding, Given, proofs
from analysis.checks.proofs import Asked
from bench import proof, registry
from bench.errors import ParityError
from bench.proof import migration

ORDER = 10
ADVICE = "results are append-only: restore the file (git checkout main -- FILE); a newer campaign supersedes a bad one"
RESTORE = "restore the file (git checkout main -- FILE); nox -s parity answers what has changed, and nothing else"
RESTORE_TABLE = (
    "git checkout main -- bench/proof/proof_versions.csv; the table is of one revision, and no later code changes it"
)

# Run by the code of the table's revision: both versions of its hashes, by its own rules.
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
    """Compare with the revision that the results are contributed to, where git says which, and check the table."""
    answers: dict[Path, bytes] = {}
    for path, before in revisions.published(given.base, given.results) if given.base else ():
        if path.suffix == ".npz":
            answers[path] = before
        elif path.suffix != ".md":  # it describes results, and is none
            after = path.read_bytes() if path.is_file() and not path.is_symlink() else None
            if after is None or not after.startswith(before):
                came = "nothing: it is gone" if after is None else "other lines"
                yield given.finding(path, f"expected all that {str(given.base)[:12]} has of it, got {came}", ADVICE)
    yield from _answers(given, answers)
    published = {Path(proof.FOLDER, subject.file) for subject in proof.subjects(proof.FOLDER)}
    if published and published <= set(given.paths):  # the table is of all answers
        yield from check_table(migration.rows())
        yield from _not_in_table(given)


def _answers(given: Given, published: dict[Path, bytes]) -> Iterator[Finding]:
    """Yield published answers that are lost, or replaced although nothing changed; count those of changed code."""
    changed: dict[Path, tuple[Asked, str]] = {}
    for path, before in published.items():
        if not path.is_file():
            if path.parent.name in registry.environments() and registry.has_workload(path.name.split(".")[0]):
                yield given.finding(path, "expected the published answer, got nothing: it is gone", RESTORE)
            continue
        try:
            about = proof.sound_answer(str(path))["about"]
        except ParityError as error:
            yield given.finding(path, f"expected a parity answer, got: {error}", RESTORE)
            continue
        with np.load(io.BytesIO(before), allow_pickle=False) as arrays:
            published_proof = str(json.loads(str(arrays["about"]))["proof"])
        if proof.same(about["proof"], published_proof):
            yield given.finding(path, "expected the published answer, since its code and versions are the same, got "
                                "another", RESTORE)  # fmt: skip
        else:
            loaded = about.get("loaded")
            versions = sorted(loaded.items()) if isinstance(loaded, dict) else ()
            changed[path] = Asked(path.name.split(".")[0], path.parent.name, tuple(versions)), about["proof"]
    if changed:
        yield from _changed(given, changed)


def _changed(given: Given, answers: dict[Path, tuple[Asked, str]]) -> Iterator[Finding]:
    now = proofs.hashes(sorted({asked for asked, _ in answers.values()}))
    sound = Counter[Path]()
    for path, (asked, claimed) in answers.items():
        wanted = now[asked].proof if asked in now else "none, for nothing answers this here"
        if proof.same(claimed, wanted):
            sound[path.parent] += 1
        else:
            yield given.finding(path, f"expected the proof of the code as it is, {wanted}, got {ascii(claimed)[:40]}",
                                RESTORE)  # fmt: skip
    for folder, count in sound.items():
        problem = f"expected published answers, got {count} of changed code or versions"
        yield given.finding(folder, problem, "nothing, where that change is meant", is_error=False)


def check_table(rows: Sequence[migration.Row]) -> Iterator[Finding]:
    """Compare rows of the table of proofs' versions with the hashes that the code of their revisions computes."""
    for revision in sorted({row.revision for row in rows}):
        stated = [row for row in rows if row.revision == revision]
        computed = revisions.computed(SCRIPT, [row[1:5] for row in stated], revision) or []
        if not computed:
            yield _in_table(f"expected a table of a revision that git knows, got {revision[:12]}")
        for row, wanted in zip(stated, computed, strict=False):
            if row[5:] != tuple(wanted):
                yield _in_table(f"{row.environment}, {row.workload}: expected {tuple(wanted)}, got {row[5:]}")


def _in_table(problem: str) -> Finding:
    return Finding(str(Path(migration.TABLE).relative_to(inputs.ROOT)), None, problem, RESTORE_TABLE)


def _not_in_table(given: Given) -> Iterator[Finding]:
    """Yield answers whose proof is of version 1 and not in the table."""
    known = {row.proof_1 for row in migration.rows()}
    for path in given.parity:
        recorded = str(proof.sound_answer(str(path))["about"]["proof"])
        if ":" not in recorded and recorded not in known:
            yield given.finding(path, f"expected a proof of version 2, or one that {Path(migration.TABLE).name} holds, "
                                f"got {recorded}", "nox -s parity answers again", is_error=False)  # fmt: skip
