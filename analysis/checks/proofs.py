"""Parity: each time has a proof, of the very code that was measured, and answers that others agree with."""

import functools
from collections.abc import Callable, Iterator
from typing import NamedTuple

from analysis import revisions
from analysis.checks import Finding, Given, ResultFile, proven
from analysis.checks.proven import Asked, Hashes
from bench import ablations, proof
from bench.errors import ParityError
from bench.proof import subject_of

ORDER = 6
Judge = Callable[[proof.Subject, str], proof.Verdict]  # of a program, by its proof

ANSWER = "nox -s parity -- --environment {} gives the answers; commit results/parity/ with the times"


class CodeClaim(NamedTuple):
    """What runs of one case claim: the code that was measured, and the proof of it."""

    subject: proof.Subject
    asked: Asked
    hashes: Hashes


def check(given: Given) -> Iterator[Finding]:
    """Recompute the hashes of each claim, and ask for the answers of those of today's code."""
    claims = {file: _claims(file) for file in given.campaigns if file.bench}
    now = proven.now(
        sorted({asked for own in claims.values() for claim in own for asked in (claim.asked, _program(claim))})
    )
    older = {file: {claim: number for claim, number in own.items() if not _is_of(claim.hashes, now.get(claim.asked))}
             for file, own in claims.items()}  # fmt: skip
    named = {file: _revision(file) for file, own in older.items() if own}
    then = _then(older, named)
    judge = functools.cache(functools.partial(proof.judge, kept=proof.Kept(str(given.answers))))  # many files claim it
    for file, own in claims.items():
        for claim, number in own.items():
            if claim not in older[file]:
                yield from _answered(file, claim, number, judge, now[_program(claim)].proof)
        if older[file]:
            yield from _older(file, older[file], now, then[named[file]], named[file])
    yield from _answers(given)


def _is_of(claimed: Hashes, wanted: Hashes | None) -> bool:
    """Say whether a run claims this code, in either version of a proof's hash."""
    return wanted is not None and claimed.code == wanted.code and proof.same(claimed.proof, wanted.proof)


def _then(
    older: dict[ResultFile, dict[CodeClaim, int]], named: dict[ResultFile, str]
) -> dict[str, dict[Asked, Hashes]]:
    """Return what each revision's own code says, asked once for all files that name it: to ask takes seconds."""
    asked: dict[str, set[Asked]] = {}
    for file, revision in named.items():
        asked.setdefault(revision, set()).update(claim.asked for claim in older[file])
    return {revision: proven.then(sorted(own), revision) if revision else {} for revision, own in asked.items()}


def _claims(file: ResultFile) -> dict[CodeClaim, int]:
    """Return what the runs with a time claim, each with its first line."""
    loaded = {line["environment"]: line["loaded"] for _, line in file.records if line["kind"] == "environment"}
    found: dict[CodeClaim, int] = {}
    for number, run in file.runs:
        case, name = run["case"], run["case"].environment
        if run["status"] == "ok" and run["code"] and run["proof"] and name in loaded:
            changed = case.mode if ablations.split(case.mode)[1] else ""
            asked = Asked(case.workload, name, tuple(sorted(loaded[name].items())), changed)
            subject = subject_of(case)
            found.setdefault(CodeClaim(subject, asked, Hashes(run["code"], run["proof"])), number)
    return found


def _program(claim: CodeClaim) -> Asked:
    """Return what is asked of the program that has to prove parity: a loader leaves it as it is."""
    mode = claim.subject.mode
    return claim.asked._replace(mode=mode if ablations.split(mode)[1] else "")


def _answered(file: ResultFile, claim: CodeClaim, number: int, judge: Judge, own: str) -> Iterator[Finding]:
    """Judge the answers that are kept of the program's `own` proof."""
    verdict = judge(claim.subject, own)
    if not verdict.passes:
        yield file.finding(number, f"expected answers that prove parity of {_named(claim)}, got: {verdict.reason}",
                           ANSWER.format(claim.subject.environment))  # fmt: skip


def _older(
    file: ResultFile,
    older: dict[CodeClaim, int],
    now: dict[Asked, Hashes],
    then: dict[Asked, Hashes],
    revision: str,
) -> Iterator[Finding]:
    """Hold claims that are not of today's code against the revision that the campaign names, by its hashes."""
    named = f"revision {revision[:12]}" if revision else "no revision"
    for claim, number in older.items():
        if _is_of(claim.hashes, then.get(claim.asked)):
            yield file.finding(number, f"expected the code as it is now, got that of {named}: the page will say that "
                               f"the files of {_named(claim)} were changed since", "nothing; measure again with "
                               "today's code where that is easy", False)  # fmt: skip
            continue
        wanted = [f"{hashes.code} and {hashes.proof} ({which})" for which, hashes in
                  (("now", now.get(claim.asked)), (named, then.get(claim.asked))) if hashes]  # fmt: skip
        unknown = f"hashes of files that are here or in {named}"
        yield file.finding(number, f"code and proof: expected {' or '.join(wanted) or unknown}, got "
                           f"{claim.hashes.code} and {claim.hashes.proof}, for {_named(claim)}",
                           "fetch that revision (git fetch --unshallow, or push it), or measure again with a commit "
                           "of this repository")  # fmt: skip


def _answers(given: Given) -> Iterator[Finding]:
    """Check that contributed answers can be read."""
    for path in given.parity:
        try:
            proof.sound_answer(str(path))
        except ParityError as error:
            yield given.finding(path, f"expected a parity answer, got: {error}", ANSWER.format(path.parent.name))


def _revision(file: ResultFile) -> str:
    """Return the revision that a campaign names.

    Where a rebase has lost that, the commit that brought the file: a hash that fits proves which code it was.
    """
    named = str((file.bench or {}).get("revision") or "")
    return named if not named or revisions.is_known(named) else revisions.brought(file.path) or named


def _named(claim: CodeClaim) -> str:
    about = claim.subject
    return f"{about.workload} ({about.optimizer}) in {about.environment}, {about.mode}"
