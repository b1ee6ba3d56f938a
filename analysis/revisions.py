"""What git says of results: what a branch adds to those of its base, and what the code of a revision computes."""

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from analysis import cache
from analysis.inputs import ROOT
from bench import registry

BASES = ("origin/main", "main")
TIMEOUT_S = 600  # of a script that computes some hundred hashes, where other work shares the processor


def base(against: str | None = None) -> str | None:
    """Return where this branch left `against`, else where it left main; None where git does not tell."""
    names = (against,) if against else BASES
    return next(filter(None, (_line("merge-base", "HEAD", name) for name in names)), None)


def added(revision: str, results: Path) -> list[Path]:
    """Return the files of a results folder of this repository that are not, or not so, in a revision."""
    fresh = _names("ls-files", "--others", "--exclude-standard", "-z", "--", str(results))
    return sorted({ROOT / name for name in (*_differing(revision, results, "d"), *fresh)})


def published(revision: str, results: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield each file of a results folder that is in a revision and not so here, with what it is there."""
    for name in _differing(revision, results, "MDT"):
        yield ROOT / name, _git("show", f"{revision}:{name}") or b""


def _differing(revision: str, results: Path, kinds: str) -> list[str]:
    return _names("diff", "--name-only", "--no-renames", "-z", f"--diff-filter={kinds}", revision, "--", str(results))


def _names(*words: str) -> list[str]:
    """Return the names of files that git prints, none if it fails."""
    return [os.fsdecode(name) for name in (_git(*words) or b"").split(b"\0") if name]


def brought(path: Path) -> str | None:
    """Return the commit that brought a file of this repository; None where git does not tell."""
    return _line("log", "--diff-filter=A", "--format=%H", "-n1", "--", str(path))


def commit(revision: str) -> str | None:
    """Return the whole hash of a revision; None where git does not know it: a rebase or a shallow clone loses it."""
    return _line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")


def computed(script: str, question: object, revision: str | None = None) -> Any:
    """Return what a script prints as JSON, run by the code of a revision, or by that of today.

    The script reads the question as JSON. What a revision computed is kept, because its code never changes. Returns
    None if git does not know the revision, or if the script fails.
    """
    try:
        if revision is None:
            return _run(script, question, Path(registry.HERE).parent)
        known = commit(revision)
        if known is None:
            return None
        return cache.recall("revisions", [known, script, json.dumps(question)],
                            lambda: _run_then(script, question, known), ())  # fmt: skip
    except subprocess.SubprocessError:
        return None


def _run_then(script: str, question: object, revision: str) -> Any:
    content = _git("archive", "--format=tar", revision, "--", "bench")
    if not content:
        return None
    with tempfile.TemporaryDirectory(prefix="rosetta-source-") as folder:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2, of Debian 12, has none
            archive.extractall(folder)  # noqa: S202 - Git made it of this repository
        return _run(script, question, Path(folder))


def _run(script: str, question: object, folder: Path) -> Any:
    variables = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run([sys.executable, "-B", "-c", script], cwd=folder, env=variables, input=json.dumps(question),
                          capture_output=True, text=True, timeout=TIMEOUT_S, check=True)  # fmt: skip
    return json.loads(done.stdout)


def _line(*words: str) -> str | None:
    """Return the one line that git prints, or None."""
    return (_git(*words) or b"").decode().strip() or None


def _git(*words: str) -> bytes | None:
    """Run git in this repository; returns what it prints, or None when it fails or is not there."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
