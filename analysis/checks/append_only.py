"""What was published stays as it was: lines are added, and parity answers change with their code alone."""

import io
import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from analysis import revisions
from analysis.checks import Finding, Given, proven
from analysis.checks.proven import Asked
from bench import proof, registry
from bench.errors import ParityError

ORDER = 10
ADVICE = "results are append-only: restore the file (git checkout main -- FILE); a newer campaign supersedes a bad one"
RESTORE = "restore the file (git checkout main -- FILE); nox -s parity answers what has changed, and nothing else"


def check(given: Given) -> Iterator[Finding]:
    """Compare with the revision that the results are contributed to; nothing where git does not tell."""
    if given.base is None:
        return
    answers: dict[Path, bytes] = {}
    for path, before in revisions.published(given.base, given.results):
        if path.suffix == ".md":
            continue  # it tells of results, and is none
        if path.suffix == ".npz":
            answers[path] = before
            continue
        after = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        if after is None or not after.startswith(before):
            came = "nothing: it is gone" if after is None else "other lines"
            yield given.finding(path, f"expected all that {given.base[:12]} has of it, got {came}", ADVICE)
    yield from _answers(given, answers)


def _answers(given: Given, published: dict[Path, bytes]) -> Iterator[Finding]:
    """Say of published answers which were lost, which replaced though nothing changed, and how many are given anew."""
    anew: dict[Path, tuple[Asked, str]] = {}
    for path, before in published.items():
        if not path.is_file():
            if _is_asked(path):
                yield given.finding(path, "expected the published answer, got nothing: it is gone", RESTORE)
            continue
        try:
            about = proof.sound_answer(str(path))["about"]
        except ParityError as error:
            yield given.finding(path, f"expected a parity answer, got: {error}", RESTORE)
            continue
        if proof.same(about["proof"], _proof(before)):
            yield given.finding(path, "expected the published answer, since its code and versions are the same, got "
                                "another", RESTORE)  # fmt: skip
        else:
            anew[path] = _asked(path, about), about["proof"]
    yield from _anew(given, anew)


def _proof(content: bytes) -> str:
    """Return the proof that a published answer names."""
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        return str(json.loads(str(arrays["about"]))["proof"])


def _anew(given: Given, answers: dict[Path, tuple[Asked, str]]) -> Iterator[Finding]:
    now = proven.now(sorted({asked for asked, _ in answers.values()})) if answers else {}
    sound: dict[Path, int] = {}
    for path, (asked, claimed) in answers.items():
        wanted = now[asked].proof if asked in now else "none, for nothing answers this here"
        if proof.same(claimed, wanted):
            sound[path.parent] = sound.get(path.parent, 0) + 1
        else:
            yield given.finding(path, f"expected the proof of the code as it is, {wanted}, got {ascii(claimed)[:40]}",
                                RESTORE)  # fmt: skip
    for folder, count in sound.items():
        told = f"expected published answers, got {count} of changed code or versions"
        yield given.finding(folder, told, "nothing, where that change is meant", is_error=False)


def _is_asked(path: Path) -> bool:
    """Say whether anything here still answers the question of an answer's file."""
    return path.parent.name in registry.environments() and registry.has_workload(path.name.split(".")[0])


def _asked(path: Path, about: dict[str, object]) -> Asked:
    loaded = about.get("loaded")
    versions = loaded.items() if isinstance(loaded, dict) else ()
    return Asked(path.name.split(".")[0], path.parent.name, tuple(sorted((str(k), str(v)) for k, v in versions)))
