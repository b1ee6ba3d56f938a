"""What git tells of results: what a branch adds to those of its base, and what the base has of them."""

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from analysis.inputs import ROOT

BASES = ("origin/main", "main")


def base(against: str | None = None) -> str | None:
    """Return where this branch left `against`, else where it left main; None where git does not tell."""
    for name in (against,) if against else BASES:
        if found := _git("merge-base", "HEAD", name):
            return found.decode().strip()
    return None


def added(revision: str, results: Path) -> list[Path]:
    """Return the files of a results folder of this repository that are not, or not so, in a revision."""
    listed = _git("diff", "--name-only", "--no-renames", "-z", "--diff-filter=d", revision, "--", str(results)) or b""
    fresh = _git("ls-files", "--others", "--exclude-standard", "-z", "--", str(results)) or b""
    return sorted({ROOT / name.decode("utf-8", "surrogateescape") for name in (listed + fresh).split(b"\0") if name})


def published(revision: str, results: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield each file of a results folder that is in a revision and not so here, with what it is there."""
    listed = _git("diff", "--name-only", "--no-renames", "-z", "--diff-filter=MDT", revision, "--", str(results)) or b""
    for name in listed.split(b"\0"):
        if name:
            path = name.decode("utf-8", "surrogateescape")
            yield ROOT / path, _git("show", f"{revision}:{path}") or b""


def brought(path: Path) -> str | None:
    """Return the commit that brought a file of this repository; None where git does not tell."""
    listed = _git("log", "--diff-filter=A", "--format=%H", "-n1", "--", str(path)) or b""
    return listed.decode().strip() or None


def is_known(revision: str) -> bool:
    """Say whether git has a revision here: a rebase, or a clone that is shallow, may have lost it."""
    return _git("cat-file", "-e", f"{revision}^{{commit}}") is not None


@contextmanager
def source(revision: str) -> Iterator[Path | None]:
    """Yield a folder that holds bench/ as a revision has it, or None where git does not know that revision."""
    content = _git("archive", "--format=tar", revision, "--", "bench")
    if not content:
        yield None
        return
    with tempfile.TemporaryDirectory(prefix="rosetta-source-") as folder:
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)  # Python 3.11.2, of Debian 12, has none
            archive.extractall(folder)  # noqa: S202 - Git made it of this repository
        yield Path(folder)


def _git(*words: str) -> bytes | None:
    """Run git in this repository; returns what it prints, or None when it fails or is not there."""
    try:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=False)
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None
