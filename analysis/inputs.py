"""Know whether the generated pages are still those of their inputs. Standard library only: each build asks."""

import hashlib
import os
import sys
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "docs" / "generated"
STAMP = ".inputs"  # beside the pages
INPUTS = ("analysis", "bench", "results", "CHANGELOG.md", "CONTRIBUTING.md")
LIBRARIES = ("numpy", "scipy", "pandas", "matplotlib", "seaborn", "msgspec", "jinja2")  # that pages are made by
VARIABLES = ("SITE_URL", "REPOSITORY_URL", "GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA",
             "PUBLISHED_REVISION", "PUBLISHED_VERSIONS")  # fmt: skip # that pages state


def digest() -> str:
    """Return a hash of what the pages are made from: input files, environment variables, Python and the libraries."""
    files = [path for name in INPUTS for path in (ROOT / name, *(ROOT / name).rglob("*")) if path.is_file()]
    stated = [os.environ.get(name, "") for name in VARIABLES]
    return _digest(
        [sys.version, *stated, *map(version, LIBRARIES)], [path for path in files if "__pycache__" not in path.parts]
    )


def are_current() -> bool:
    """Say whether the pages were written from the inputs as they are now, and nobody has changed a page since."""
    stamp = OUTPUT / STAMP
    return stamp.exists() and stamp.read_text(encoding="utf-8") == _stamp(digest())


def remember(inputs: str) -> None:
    """Note which inputs the pages were written from, and what was written."""
    OUTPUT.joinpath(STAMP).write_text(_stamp(inputs), encoding="utf-8")


def version(library: str) -> str:
    """Return a library's name with its version, or the name alone where it is not installed."""
    try:
        return f"{library} {metadata.version(library)}"
    except metadata.PackageNotFoundError:  # `verify` draws nothing, and does without
        return library


def _stamp(inputs: str) -> str:
    written = [path for path in OUTPUT.rglob("*") if path.is_file() and path.name != STAMP]
    return f"{inputs}\n{_digest([], written)}\n"


def _digest(words: Iterable[str], files: Iterable[Path]) -> str:
    """Return a hash of some words, and of files with their places and contents."""
    parts = (*words, *(f"{path.relative_to(ROOT)} {hash_of_file(path)}" for path in sorted(files)))
    return hash_of(*(part.encode("utf-8", "surrogateescape") for part in parts))


def hash_of(*contents: bytes) -> str:
    """Return a hash of some contents."""
    total = hashlib.sha256()
    for content in contents:
        total.update(hashlib.sha256(content).digest())
    return total.hexdigest()


def hash_of_file(path: Path) -> str:
    """Return a hash of a file's content, of which little is in memory at a time."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
