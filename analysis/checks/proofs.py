"""Parity: each time has a proof, of the very code that was measured, and answers that others agree with."""

import functools
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

from analysis import revisions
from analysis.checks import Finding, Given, ResultFile
from analysis.groups import collected
from bench import ablations, proof
from bench.errors import ParityError
from bench.proof import subject_of
from bench.results.lines import Environment

ORDER = 6

ANSWER = "nox -s parity -- --environment {} gives the answers; commit results/parity/ with the times"

# Run by the code of a revision, so by that revision's own rules of what a proof is made of.
SCRIPT = """
import json, os, sys
from bench import proof, registry
known, found = registry.environments(), []
for workload, name, loaded, mode in json.load(sys.stdin):
    path = registry.model_path(known[name], workload) if name in known else ""
    is_stated = workload in registry.workload_names() and os.path.exists(path)
    own = proof.proof_hash(workload, known[name], loaded) if is_stated else ""
    own = proof.of_mode(own, known[name], mode) if own and mode else own
    found.append([proof.code_hash(path), own] if is_stated else None)
print(json.dumps(found))
"""


class Asked(NamedTuple):
    """What a hash is of: a workload as one environment answers it, with the versions that it loaded."""

    workload: str
    environment: str
    loaded: tuple[tuple[str, str | None], ...]
    mode: str = ""  # where an ablation changes one thing of it


class Hashes(NamedTuple):
    """What a run of that code names."""

    code: str
    proof: str


class CodeClaim(NamedTuple):
    """What runs of one case claim: the code that was measured, and the proof of it."""

    subject: proof.Subject
    asked: Asked
    hashes: Hashes

    @property
    def program(self) -> Asked:
        """The program that has to prove parity: a loader does not change it."""
        return self.asked._replace(mode=changed_mode(self.subject.mode))

    def is_of(self, code: dict[Asked, Hashes]) -> bool:
        """Say whether these hashes are claimed, in either version of a proof's hash."""
        wanted = code.get(self.asked)
        return wanted is not None and self.hashes.code == wanted.code and proof.same(self.hashes.proof, wanted.proof)

    def __str__(self) -> str:
        subject = self.subject
        return f"{subject.workload} ({subject.optimizer}) in {subject.environment}, {subject.mode}"


def changed_mode(mode: str) -> str:
    """Return a mode if an ablation changes something in it, else nothing."""
    return mode if ablations.split(mode)[1] else ""


def hashes(asked: Sequence[Asked], revision: str | None = None) -> dict[Asked, Hashes]:
    """Return the hashes of the files in a revision, or of those of today, without files that are not there."""
    questions = [(*each[:2], dict(each.loaded), each.mode) for each in asked]
    computed = revisions.computed(SCRIPT, questions, revision) or [None] * len(asked)
    return {each: Hashes(*both) for each, both in zip(asked, computed, strict=True) if both}


def check(given: Given) -> Iterator[Finding]:
    """Recompute the hashes of each claim, and ask for the answers of those of today's code."""
    files = (
        file for file in given.campaigns if not file.is_history
    )  # `nox -s versions` proves in copies of frameworks
    claims = [(file, claim, number) for file in files for claim, number in _claims(file).items()]
    now = hashes(sorted({asked for _, claim, _ in claims for asked in (claim.asked, claim.program)}))
    older = [(file, claim.asked) for file, claim, _ in claims if not claim.is_of(now)]
    named = {file: _revision(file) for file in {file for file, _ in older}}
    asked = collected((named[file], subject) for file, subject in older)
    with ThreadPoolExecutor() as pool:  # to ask a revision's own code takes seconds
        then = dict(zip(asked, pool.map(hashes, map(sorted, map(set, asked.values())), asked), strict=True))
    judge = functools.cache(functools.partial(proof.judge, kept=proof.Kept(str(given.answers))))  # many files claim it
    for file, claim, number in claims:
        if not claim.is_of(now):
            yield _older(file, claim, number, now, then[named[file]], named[file])
        elif not (verdict := judge(claim.subject, now[claim.program].proof)).passes:
            yield file.finding(number, f"expected answers that prove parity of {claim}, got: {verdict.reason}",
                               ANSWER.format(claim.subject.environment))  # fmt: skip
    for path in given.parity:
        try:
            proof.sound_answer(str(path))
        except ParityError as error:
            yield given.finding(path, f"expected a parity answer, got: {error}", ANSWER.format(path.parent.name))


def _claims(file: ResultFile) -> dict[CodeClaim, int]:
    """Return what the runs with a time claim, each with its first line."""
    loaded = {line.environment: line.loaded for _, line in file.records if isinstance(line, Environment)}
    claims: dict[CodeClaim, int] = {}
    for number, run in file.runs:
        case = run.case
        if run.status == "ok" and run.code and run.proof and case.environment in loaded:
            versions = tuple(sorted(loaded[case.environment].items()))
            asked = Asked(case.workload, case.environment, versions, changed_mode(case.mode))
            claims.setdefault(CodeClaim(subject_of(case), asked, Hashes(run.code, run.proof)), number)
    return claims


def _older(
    file: ResultFile,
    claim: CodeClaim,
    number: int,
    now: dict[Asked, Hashes],
    then: dict[Asked, Hashes],
    revision: str,
) -> Finding:
    """Compare a claim that is not of today's code with the revision that the campaign names, by its hashes."""
    named = f"revision {revision[:12]}" if revision else "no revision"
    if claim.is_of(then):
        return file.finding(number, f"expected the code as it is now, got that of {named}: the page will say that the "
                            f"files of {claim} were changed since", "nothing; measure again with today's code where "
                            "that is easy", False)  # fmt: skip
    wanted = [f"{known.code} and {known.proof} ({which})"
              for which, known in (("now", now.get(claim.asked)), (named, then.get(claim.asked))) if known]  # fmt: skip
    unknown = f"hashes of files that are here or in {named}"
    return file.finding(number, f"code and proof: expected {' or '.join(wanted) or unknown}, got {claim.hashes.code} "
                        f"and {claim.hashes.proof}, for {claim}", "fetch that revision (git fetch --unshallow, or "
                        "push it), or measure again with a commit of this repository")  # fmt: skip


def _revision(file: ResultFile) -> str:
    """Return the revision that a campaign names.

    If a rebase has lost it, return the commit that brought the file: a hash that fits proves which code it was.
    """
    named = (file.bench and file.bench.revision) or ""
    return named if not named or revisions.commit(named) else revisions.brought(file.path) or named
