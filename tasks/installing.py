"""How environments are made and filled: with uv, or with pip if uv cannot be installed; by one Nox at a time."""

import contextlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import nox

from bench import machine, registry
from bench.driver.lock import locked
from tasks import pip_settings
from tasks.prerequisites import download, find_python, why_no_download

ROOT = Path(__file__).parent.parent
HAS_GPU = machine.gpu()[0] is not None
UV_PIN = ROOT / "tasks" / "requirements.txt"
STAMP = "installed-pins.json"  # in an environment: what was installed into it
TOOL_PYTHONS = ["3.11", "3.12", "3.13", "3.14"]  # that have every pin of TOOLS
TOOLS = ("analysis/requirements.txt", "docs/requirements.txt", "tests/requirements.txt",
         "tests/requirements-lint.txt")  # fmt: skip
LONGEST_REASON = 1500  # characters


class CannotInstallError(Exception):
    """An environment cannot be made; the message says why."""


def _failure(command: Sequence[str], environ: dict[str, str] | None = None) -> str | None:
    """Run a command; return None, or the end of what it printed if it failed."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environ)
    if done.returncode == 0:
        return None
    return (done.stderr or done.stdout).strip()[-LONGEST_REASON:] or f"exit code {done.returncode}"


def _cache(folder: Path, environ: dict[str, str]) -> Path:
    """Return where uv keeps packages: its usual place if files there can be linked into environments, else ours."""
    usual = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    with contextlib.suppress(OSError):
        usual.mkdir(parents=True, exist_ok=True)
        if usual.stat().st_dev == folder.stat().st_dev and os.access(usual, os.W_OK):
            return usual / "uv"
    return folder / "uv-cache"


def bring_uv(folder: Path, pip: Sequence[str]) -> str | None:
    """Install the pinned uv into `folder` by `pip` unless it is there; return why that failed, or None."""
    pin = UV_PIN.read_text(encoding="utf-8")
    stamp = folder / STAMP
    if stamp.exists() and stamp.read_text(encoding="utf-8") == pin:
        return None
    shutil.rmtree(folder, ignore_errors=True)
    why = _failure([*pip, "install", "-q", "--disable-pip-version-check", "--target", str(folder), "-r", str(UV_PIN)])
    if why is None:
        stamp.write_text(pin, encoding="utf-8")
    return why


class Uv:
    """Makes environments with uv, which links each package from its cache instead of unpacking it again."""

    def __init__(self, folder: Path, settings: Mapping[str, str]) -> None:
        self.command = [str(folder / "uv" / "bin" / "uv")]
        self.environ = pip_settings.variables(settings)
        self.environ.setdefault("UV_CACHE_DIR", str(_cache(folder, self.environ)))

    def create(self, home: Path, python: str) -> str | None:
        """Make an empty environment; return why that failed, or None."""
        return _failure([*self.command, "venv", "-q", "--clear", "--python", python, str(home)], self.environ)

    def install(self, home: Path, words: Iterable[str]) -> str | None:
        """Install into an environment; return why that failed, or None."""
        python = str(home / "bin" / "python")
        return _failure([*self.command, "pip", "install", "-q", "--python", python, *words], self.environ)


class Pip:
    """Makes environments with venv and pip."""

    command: tuple[str, ...] = ()

    def create(self, home: Path, python: str) -> str | None:
        """Make an empty environment; return why that failed, or None."""
        return _failure([python, "-m", "venv", "--clear", str(home)])

    def install(self, home: Path, words: Iterable[str]) -> str | None:
        """Install into an environment; return why that failed, or None."""
        python = str(home / "bin" / "python")
        if not (home / "bin" / "pip").exists() and (why := _failure([python, "-m", "ensurepip"])):  # uv made it
            return why
        return _failure([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *words])


def installer(folder: Path, say: Callable[[str], None]) -> Uv | Pip:
    """Return what installs: uv, or pip if uv cannot be installed, which is announced."""
    folder.mkdir(exist_ok=True)
    try:
        pip = pip_settings.find_pip(folder / "pip")
        why = bring_uv(folder / "uv", pip)
    except OSError as error:
        why = str(error)
    if why is None:
        return Uv(folder, pip_settings.read(pip))
    reason = " ".join(why.split())[-300:]
    say(f"pip installs the environments, which takes longer: uv cannot be installed ({reason}).")
    return Pip()


def pins_of(*files: str) -> list[str]:
    """Return the pins that requirement files list, each once; a file may include others by -r."""
    found: dict[str, None] = {}
    for file in files:
        for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
            pin = line.partition("#")[0].strip()
            if pin.startswith("-r "):
                found.update(dict.fromkeys(pins_of(os.path.join(os.path.dirname(file), pin[3:].strip()))))
            elif pin:
                found[pin] = None
    return list(found)


def holds(home: Path) -> list[list[str]]:
    """Return what was installed into an environment, step by step; nothing if it is not there."""
    try:
        steps: list[list[str]] = json.loads((home / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return steps if (home / "bin" / "python").exists() else []


def fill(tool: Uv | Pip, home: Path, python: str, steps: list[list[str]], index: str | None = None) -> str | None:
    """Make an environment that holds what `steps` install, unless it is there; return why that failed, or None.

    An environment with the first steps gets the others. One with other pins is made anew, because an installer would
    keep what is near enough: 2.13.0+cpu, if 2.13.0 with CUDA is wanted. The package index `index` is asked only if the
    configured ones lack a pin: a mirror or a wheel at hand spares a download.
    """
    done = holds(home)
    if not done or done[: len(steps)] != steps[: len(done)]:
        done = []
        if why := tool.create(home, python):
            return why
    for number in range(len(done), len(steps)):
        why = tool.install(home, steps[number])
        if why and index:
            why = tool.install(home, [*steps[number], "--extra-index-url", index])
        if why:
            return why
        (home / STAMP).write_text(json.dumps(steps[: number + 1]), encoding="utf-8")
    return None


def activate(python: str) -> None:
    """Let all further commands of this process find the programs of an environment first.

    Python keeps what it compiles, also if the user's shell forbids that: nothing is compiled when it is installed, and
    every measured process would compile its framework again.
    """
    folder = os.path.dirname(python)
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"].removeprefix(folder + os.pathsep)
    os.environ["VIRTUAL_ENV"] = os.path.dirname(folder)
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


class Installing:
    """Holds this checkout's environments while they are made: two Noxes that make one at once would break it."""

    def __init__(self) -> None:
        self.held = contextlib.ExitStack()
        self.is_held = False
        self.tool: Uv | Pip | None = None

    def begin(self, session: nox.Session) -> None:
        """Wait until no other Nox installs here, and say so where one does."""
        if not self.is_held:
            busy = "Another Nox is installing into this checkout's environments: this one waits for it."
            self.held.enter_context(locked(registry.STATE, busy, "install.lock", session.warn))
            self.is_held = True

    def end(self) -> None:
        """Let others install."""
        self.held.close()
        self.is_held = False

    def environment(self, session: nox.Session, row: registry.Environment) -> str:
        """Return the interpreter of a row's environment, made first if needed; raises CannotInstallError."""
        if why := machine.missing_packages(row.system):
            raise CannotInstallError(why)
        pins = row.packages + (row.gpu if HAS_GPU else row.cpu)
        home = self._folder(session) / f"install-{row.name.replace('.', '-')}"
        index = row.index.get("gpu" if HAS_GPU else "cpu")
        return self._made(session, home, row.python, [step for step in (row.bootstrap, pins) if step], index)

    def use_tools(self, session: nox.Session, *files: str) -> None:
        """Let a session run with the tools' environment; others may install then."""
        self.begin(session)
        try:
            activate(self.tools(session, *files))
        except CannotInstallError as error:
            session.error(f"The tools' environment cannot be made: {error}")
        self.end()

    def tools(self, session: nox.Session, *files: str) -> str:
        """Return the interpreter of the environment that all sessions' tools are in; `files` name further pins."""
        steps = [pins_of(*TOOLS), *(pins_of(file) for file in files)]
        return self._made(session, self._folder(session) / "tools", TOOL_PYTHONS, steps)

    def _folder(self, session: nox.Session) -> Path:
        return Path(session.cache_dir).absolute().parent

    def _made(
        self, session: nox.Session, home: Path, versions: list[str], steps: list[list[str]], index: str | None = None
    ) -> str:
        if holds(home)[: len(steps)] != steps:
            self.tool = self.tool or installer(home.parent, session.warn)
            python = self._python(session, versions, home.parent)
            session.log(f"Installing into {home.name}: {' '.join(word for step in steps for word in step)}")
            if why := fill(self.tool, home, python, steps, index):
                raise CannotInstallError(f"its installation failed: {why}")
        return str(home / "bin" / "python")

    def _python(self, session: nox.Session, versions: list[str], folder: Path) -> str:
        downloads = str(folder / "python")
        if python := find_python(versions, downloads):
            return python
        command = list(self.tool.command) if self.tool else []
        why = why_no_download(versions, bool(command)) or download(versions, command, downloads, session.warn)
        if python := find_python(versions, downloads):
            return python
        wanted, best = " or ".join(versions), versions[0]
        raise CannotInstallError(
            f"no Python {wanted} is on this machine, and {why}; install one, for example by `pyenv install {best}`, "
            f"`uv python install {best}` or the system's packages"
        )
