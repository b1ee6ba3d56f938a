"""Know whether the generated pages are still those of their inputs. Standard library only: each build asks."""

import hashlib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUTPUT = ROOT / "docs" / "generated"
STAMP = ".inputs"  # beside the pages
INPUTS = ("analysis", "bench", "results", "CHANGELOG.md", "CONTRIBUTING.md")


def digest() -> str:
    """Return a hash of every input's path, size and time of change."""
    files = [path for name in INPUTS for path in (ROOT / name, *sorted((ROOT / name).rglob("*"))) if path.is_file()]
    kept = [path for path in files if "__pycache__" not in path.parts]
    lines = [f"{path.relative_to(ROOT)} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in kept]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def are_current() -> bool:
    """Say whether the pages were written from the inputs as they are now."""
    stamp = OUTPUT / STAMP
    return stamp.exists() and stamp.read_text(encoding="utf-8") == digest()


def remember(inputs: str) -> None:
    """Note which inputs the pages were written from."""
    OUTPUT.joinpath(STAMP).write_text(inputs, encoding="utf-8")
