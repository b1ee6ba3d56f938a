"""Finds an interpreter of a version on this machine, or lets uv download one."""

import contextlib
import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

OLDEST_DOWNLOAD = (3, 8)  # uv offers no older version
REFUSES = {"NOX_DOWNLOAD_PYTHON": {"never"}, "UV_PYTHON_DOWNLOADS": {"never", "manual"}, "UV_OFFLINE": {"1", "true"}}
VERSION = "import sys; print('%d.%d' % sys.version_info[:2])"


def find_python(versions: list[str], downloads: str = "") -> str | None:
    """Return the first interpreter of one of these versions on this machine, or below `downloads`; else None."""
    for version in versions:
        for python in _places(version, downloads):
            with contextlib.suppress(OSError):  # a version manager's shim may not start, or start another version
                done = subprocess.run([python, "-c", VERSION], capture_output=True, text=True, timeout=30, check=False)
                if done.returncode == 0 and done.stdout.strip() == version:
                    return python
    return None


def download(uv: Sequence[str], versions: list[str], downloads: str, say: Callable[[str], None]) -> str | None:
    """Let uv bring the best of these versions into `downloads`; return why that failed or is not possible, or None."""
    for variable, values in REFUSES.items():
        if os.environ.get(variable, "").lower() in values:
            return f"{variable}={os.environ[variable]} forbids to download one"
    if not uv:
        return "uv, which could download one, is not installed"
    version = next((v for v in versions if tuple(map(int, v.split("."))) >= OLDEST_DOWNLOAD), None)
    if version is None:
        return "uv offers none this old for download"
    say(f"No Python {' or '.join(versions)} is on this machine: uv downloads {version} into {downloads}.")
    errors = failure([*uv, "python", "install", "--no-bin", "--install-dir", downloads, version])
    return errors and f"uv could not download Python {version}: {errors.splitlines()[-1].strip()}"


def _places(version: str, downloads: str) -> list[str]:
    """Return where an interpreter of a version may be: this process', on the PATH, pyenv's, uv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR", Path.home() / ".local" / "share" / "uv" / "python")
    places = [sys.executable] if version == "{}.{}".format(*sys.version_info[:2]) else []
    places += filter(None, [shutil.which(f"python{version}")])
    patterns = [f"{folder}/cpython-{version}.*/bin/python{version}" for folder in (uv, downloads) if folder]
    return places + [path for pattern in (f"{pyenv}/{version}.*/bin/python", *patterns)
                     for path in sorted(glob.glob(pattern))]  # fmt: skip


def failure(command: Sequence[str], environ: dict[str, str] | None = None) -> str | None:
    """Run a command; return None, or the end of what it printed if it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    if done.returncode == 0:
        return None
    return (done.stderr or done.stdout).strip()[-1500:] or f"exit code {done.returncode}"
