"""Write an archive that measures on machines without a network: code, wheels of environments, and a plan.

tasks/offline.py is in it as run.py, which needs Python alone.
"""

import io
import json
import subprocess
import tarfile
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bench import registry
from bench.errors import DefinitionError
from tasks import green, pip_settings
from tasks.installing import ROOT, TOOL_PYTHONS, index_of, pins, pins_of
from tasks.pythons import find_python

FOLDER = "rosetta-bench"  # into which the archive unpacks
CODE = ("bench", "results/parity", "LICENSE")
DRIVER = ("numpy", "psutil", "nvidia-ml-py")  # pins that the bench itself has beside it


class Part(NamedTuple):
    """An environment of a bundle: the versions of Python it can have, what is installed in steps, a further index."""

    versions: Sequence[str]
    steps: Sequence[Sequence[str]]
    extra_index: str = ""


def driver() -> Part:
    """Return the environment in which the bench itself runs."""
    chosen = [pin for pin in pins_of("analysis/requirements.txt") if pin.partition("==")[0] in DRIVER]
    return Part(TOOL_PYTHONS, [chosen])


def write(output: Path, rows: Mapping[str, registry.Environment], options: Sequence[str]) -> Path:
    """Write the archive of some environments and of options of the bench; return its path.

    The code is that of the last commit. Raises DefinitionError if an environment has no Python here or no wheels.
    """
    head = green.git("rev-parse", "HEAD")
    if not head:
        raise DefinitionError("The code of a bundle is that of a commit: give this command in a clone of the project.")
    parts = {"": driver()} | {
        name: Part(row.python, [step for step in (row.bootstrap, pins(row)) if step], index_of(row))
        for name, row in rows.items()
    }
    output.mkdir(parents=True, exist_ok=True)
    path = output / f"{FOLDER}.tar"
    with tempfile.TemporaryDirectory(dir=output) as folder:
        versions = {name: _download(name, part, Path(folder)) for name, part in parts.items()}
        made = [{"name": name, "python": versions[name], "steps": part.steps} for name, part in parts.items()]
        with tarfile.open(path, "w") as archive:
            _add_code(archive)
            _add_text(archive, "revision.txt", head)
            _add_text(archive, "plan.json", json.dumps({"environments": made, "options": list(options)}, indent=1))
            archive.add(ROOT / "tasks" / "offline.py", f"{FOLDER}/run.py")
            archive.add(folder, f"{FOLDER}/wheels")
    return path


def _download(name: str, part: Part, wheels: Path) -> str:
    """Download the wheels of an environment, and the pip that installs them; return the version of its Python."""
    found = ((version, find_python([version], str(ROOT / ".nox" / "python"))) for version in part.versions)
    version, python = next(((version, python) for version, python in found if python), ("", ""))
    if not python:
        wanted = " or ".join(part.versions)
        raise DefinitionError(f"{name or 'The bench'} needs Python {wanted} here, so that pip finds the right wheels.")
    command = [*pip_settings.find_pip(ROOT / ".nox" / "pip"), "--python", str(python), "download", "-q",
               "--disable-pip-version-check", "--only-binary=:all:"]  # fmt: skip
    for step, folder in [(["pip"], wheels / f"pip-{version}"), *((step, wheels) for step in part.steps)]:
        words = [*command, "--dest", str(folder), *step]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode and part.extra_index:
            words += ["--extra-index-url", part.extra_index]
            done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode:
            raise DefinitionError(
                f"pip cannot download the wheels of {name or 'the bench'}: {done.stderr.strip()[-600:]}"
            )
    return version


def _add_code(archive: tarfile.TarFile) -> None:
    done = subprocess.run(["git", "archive", f"--prefix={FOLDER}/", "HEAD", *CODE], cwd=ROOT, capture_output=True,
                          check=True)  # fmt: skip
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as code:
        for member in code:
            archive.addfile(member, code.extractfile(member) if member.isfile() else None)


def _add_text(archive: tarfile.TarFile, name: str, text: str) -> None:
    content = (text + "\n").encode()
    member = tarfile.TarInfo(f"{FOLDER}/{name}")
    member.size = len(content)
    archive.addfile(member, io.BytesIO(content))
