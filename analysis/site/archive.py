"""Pack the committed results into one compressed archive, which is part of a published version."""

import hashlib
import lzma
import subprocess
from pathlib import Path
from typing import NamedTuple

PACKED = (
    "results",
    "LICENSE",
    ":(exclude)results/parity",
)  # answers are proofs of the code, and stay in the repository
NAME = "results-{}.tar.xz"


class Archive(NamedTuple):
    """An archive's file name, its size in bytes and its SHA-256."""

    name: str
    size: int
    sha256: str


def pack(tree: Path, revision: str, folder: Path) -> None:
    """Write the archive of a commit's results into a folder, and its checksum as `sha256sum --check` reads it.

    The same commit gives the same bytes.
    """
    command = ["git", "archive", "--format=tar", revision, *PACKED]
    files = subprocess.run(command, cwd=tree, capture_output=True, check=True).stdout
    content = lzma.compress(files, preset=9 | lzma.PRESET_EXTREME)
    file = folder / NAME.format(revision[:12])
    file.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    file.with_name(f"{file.name}.sha256").write_text(f"{digest}  {file.name}\n", encoding="ascii")


def packed(folder: Path) -> Archive | None:
    """Return the archive that a folder holds."""
    file = next(iter(folder.glob(NAME.format("*"))), None)
    if file is None:
        return None
    digest = file.with_name(f"{file.name}.sha256").read_text(encoding="ascii").split()[0]
    return Archive(file.name, file.stat().st_size, digest)
