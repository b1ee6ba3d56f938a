"""How an environment is made: an interpreter that is here, its pins, and no second Nox that installs meanwhile."""

import contextlib
import glob
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nox

from bench import machine, registry
from bench.lock import Lock

HAS_GPU = machine.gpu()[0] is not None


class Installing:
    """Holds this checkout's environments while they are made: two Noxes that make one at once would break it."""

    def __init__(self) -> None:
        self.held = contextlib.ExitStack()
        self.is_held = False

    def begin(self, session: nox.Session) -> None:
        """Wait until no other Nox installs here, and say so where one does."""
        if not self.is_held:
            busy = "Another Nox is installing into this checkout's environments: this one waits for it."
            self.held.enter_context(Lock(registry.STATE, busy, "install.lock").waited(session.warn))
            self.is_held = True

    def end(self) -> None:
        """Let others install."""
        self.held.close()
        self.is_held = False


def _runs(python: str, version: str) -> bool:
    """Whether an interpreter starts and is of this version (a version manager's shim may do neither)."""
    code = "import sys; print('%d.%d' % sys.version_info[:2])"
    try:
        done = subprocess.run([python, "-c", code], capture_output=True, text=True, timeout=30, check=False)
    except OSError:
        return False
    return done.returncode == 0 and done.stdout.strip() == version


def find_python(versions: list[str]) -> str | None:
    """Return the first interpreter of one of these versions: this one, one on the PATH, or one that pyenv installed."""
    managed = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    for version in versions:
        own = [sys.executable] if version == "{}.{}".format(*sys.version_info[:2]) else []
        on_path = [path for path in [shutil.which(f"python{version}")] if path]
        for python in own + on_path + sorted(glob.glob(f"{managed}/{version}.*/bin/python")):
            if _runs(python, version):
                return python
    return None


def _pip(session: nox.Session, *words: str) -> str | None:
    """Run pip in the session's environment; return None, or the end of what it printed when it failed.

    Pip compiles what it installed on one core, which is most of its time: compileall does so on all.
    """
    python = str(Path(session.virtualenv.bin) / "python")
    session.log("pip install " + " ".join(words))
    done = subprocess.run(
        [python, "-m", "pip", "install", "--disable-pip-version-check", "--no-compile", "-q", *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        return (done.stderr or done.stdout).strip()[-1500:]
    compiling = [python, "-m", "compileall", "-q", "-j", "0", session.virtualenv.location]
    subprocess.run(compiling, capture_output=True, check=False)  # templates are no Python, and fail
    return None


def install_pins(session: nox.Session, environment: registry.Environment) -> str | None:
    """Install an environment's pins unless they are there already; return why it failed, or None."""
    pins = environment.packages + (environment.gpu if HAS_GPU else environment.cpu)
    wanted = json.dumps([environment.bootstrap, pins])
    stamp = Path(session.virtualenv.location) / "installed-pins.json"
    if stamp.exists():
        if stamp.read_text() == wanted:
            return None
        # Pip would keep what is near enough: 2.13.0+cpu, where 2.13.0 with CUDA is wanted.
        session.run(str(session.python), "-m", "venv", "--clear", session.virtualenv.location, external=True)
    if environment.bootstrap and (why := _pip(session, *environment.bootstrap)):
        return why
    why = _pip(session, *pins)
    index = environment.index.get("gpu" if HAS_GPU else "cpu")
    if why and index:  # the configured indexes come first: a mirror or a wheel at hand spares a download
        why = _pip(session, *pins, "--extra-index-url", index)
    if why is None:
        stamp.write_text(wanted)
    return why
