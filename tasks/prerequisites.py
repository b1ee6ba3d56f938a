"""Find or download the interpreter of an environment, and explain why environments are absent."""

import glob
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

OLDEST_DOWNLOAD = (3, 8)  # uv has no older one
REFUSES = {"NOX_DOWNLOAD_PYTHON": {"never"}, "UV_PYTHON_DOWNLOADS": {"never", "manual"}, "UV_OFFLINE": {"1", "true"}}


def _runs(python: str, version: str) -> bool:
    """Whether an interpreter starts and is of this version (a version manager's shim may do neither)."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.strip() == version


def _places(version: str, downloads: str) -> list[str]:
    """Return where an interpreter of a version may be: this one, one on the PATH, pyenv's, uv's."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    uv = os.environ.get("UV_PYTHON_INSTALL_DIR", Path.home() / ".local" / "share" / "uv" / "python")
    own = [sys.executable] if version == "{}.{}".format(*sys.version_info[:2]) else []
    on_path = [path for path in [shutil.which(f"python{version}")] if path]
    by_uv = [f"{folder}/cpython-{version}.*/bin/python{version}" for folder in (uv, downloads) if folder]
    patterns = [f"{pyenv}/{version}.*/bin/python", *by_uv]
    return own + on_path + [path for pattern in patterns for path in sorted(glob.glob(pattern))]


def find_python(versions: list[str], downloads: str = "") -> str | None:
    """Return the first interpreter of one of these versions on this machine, or below `downloads`; else None."""
    for version in versions:
        for python in _places(version, downloads):
            if _runs(python, version):
                return python
    return None


def why_no_download(versions: list[str], has_uv: bool) -> str | None:
    """Return why no interpreter of these versions may be downloaded, or None."""
    for variable, values in REFUSES.items():
        if os.environ.get(variable, "").lower() in values:
            return f"{variable}={os.environ[variable]} forbids to download one"
    if not has_uv:
        return "uv, which could download one, is not installed"
    if not [version for version in versions if _is_offered(version)]:
        return "uv offers none this old for download"
    return None


def _is_offered(version: str) -> bool:
    major, minor = version.split(".")
    return (int(major), int(minor)) >= OLDEST_DOWNLOAD


def download(versions: list[str], uv: list[str], downloads: str, say: Callable[[str], None]) -> str | None:
    """Let uv bring the best of these versions into `downloads`; return why that failed, or None."""
    version = next(version for version in versions if _is_offered(version))
    say(f"No Python {' or '.join(versions)} is on this machine: uv downloads {version} into {downloads}.")
    command = [*uv, "python", "install", "--no-bin", "--install-dir", downloads, version]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else f"uv could not download Python {version}: {_cause(done.stderr)}"


def _cause(errors: str) -> str:
    """Return the last line of an error, which names its cause."""
    return (errors.strip().splitlines() or ["no reason given"])[-1].strip()


def explain_absence(absent: Mapping[str, str]) -> str:
    """Return one paragraph: which environments are absent, why, and what to do; `absent` is {environment: reason}."""
    names: dict[str, list[str]] = {}
    for environment, reason in absent.items():
        names.setdefault(reason, []).append(environment)
    reasons = " ".join(f"{', '.join(each)}: {reason}." for reason, each in names.items())
    return f"No environment can be used, so there is nothing to run. {reasons} Then give the same command again."
