"""Makes and fills environments: with uv, or with pip if uv cannot be installed. Only one Nox at a time installs."""

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import nox

from bench import machine, registry
from bench.driver.lock import locked
from tasks import pip_settings
from tasks.pythons import download, failure, find_python

ROOT = Path(__file__).parent.parent
HAS_GPU = machine.gpu()[0] is not None
UV_PIN = ROOT / "tasks" / "requirements.txt"
STAMP = "installed-pins.json"  # in an environment: what was installed into it
TOOL_PYTHONS = ["3.11", "3.12", "3.13", "3.14"]  # the versions that have every pin of TOOLS
TOOLS = ("analysis/requirements.txt", "docs/requirements.txt", "tests/requirements.txt",
         "tests/requirements-lint.txt")  # fmt: skip
PATIENCE_S = 15.0


class CannotInstallError(Exception):
    """An environment cannot be made; the message says why."""


class Installer(NamedTuple):
    """The command of uv, or nothing if pip installs, and the environment variables that it needs."""

    uv: tuple[str, ...] = ()
    environ: dict[str, str] | None = None

    def create(self, home: Path, python: str) -> str | None:
        """Make an empty environment; return why that failed, or None."""
        if self.uv:
            return failure([*self.uv, "venv", "-q", "--clear", "--python", python, str(home)], self.environ)
        return failure([python, "-m", "venv", "--clear", str(home)])

    def install(self, home: Path, words: Sequence[str]) -> str | None:
        """Install into an environment; return why that failed, or None."""
        python = str(home / "bin" / "python")
        if self.uv:
            return failure([*self.uv, "pip", "install", "-q", "--python", python, *words], self.environ)
        if not (home / "bin" / "pip").exists() and (why := failure([python, "-m", "ensurepip"])):  # uv made it
            return why
        return failure([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *words])


def installer(folder: Path, say: Callable[[str], None]) -> Installer:
    """Return what installs: uv, which links packages from its cache; else pip, with a message."""
    folder.mkdir(exist_ok=True)
    try:
        pip = pip_settings.find_pip(folder / "pip")
        why = bring_uv(folder / "uv", pip)
    except OSError as error:
        why = str(error)
    if why is None:
        environ = pip_settings.variables(pip_settings.read(pip))
        environ.setdefault("UV_CACHE_DIR", str(_cache(folder, environ)))
        return Installer((str(folder / "uv" / "bin" / "uv"),), environ)
    reason = " ".join(why.split())[-300:]
    say(f"pip installs the environments, which takes longer: uv cannot be installed ({reason}).")
    return Installer()


def bring_uv(folder: Path, pip: Sequence[str]) -> str | None:
    """Install the pinned uv into `folder` by `pip` unless it is there; return why that failed, or None."""
    pin = UV_PIN.read_text(encoding="utf-8")
    stamp = folder / STAMP
    if stamp.exists() and stamp.read_text(encoding="utf-8") == pin:
        return None
    shutil.rmtree(folder, ignore_errors=True)
    why = failure([*pip, "install", "-q", "--disable-pip-version-check", "--target", str(folder), "-r", str(UV_PIN)])
    if why is None:
        stamp.write_text(pin, encoding="utf-8")
    return why


def pins(row: registry.Environment) -> list[str]:
    """Return what is installed for a row on this machine."""
    return row.packages + (row.gpu if HAS_GPU else row.cpu)


def index_of(row: registry.Environment) -> str:
    """Return the further package index of a row on this machine; empty if it has none."""
    return row.index.get("gpu" if HAS_GPU else "cpu", "")


def pins_of(*files: str) -> list[str]:
    """Return the pins that requirement files list, without repetitions; a file may include others by -r."""
    pins: dict[str, None] = {}
    for file in files:
        for line in (ROOT / file).read_text(encoding="utf-8").splitlines():
            pin = line.partition("#")[0].strip()
            if pin.startswith("-r "):
                pins.update(dict.fromkeys(pins_of(os.path.join(os.path.dirname(file), pin[3:].strip()))))
            elif pin:
                pins[pin] = None
    return list(pins)


def holds(home: Path) -> list[list[str]]:
    """Return what was installed into an environment, step by step; nothing if there is no environment."""
    try:
        steps: list[list[str]] = json.loads((home / STAMP).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return steps if (home / "bin" / "python").exists() else []


def fill(tool: Installer, home: Path, python: str, steps: list[list[str]], index: str | None = None) -> str | None:
    """Make an environment that holds what `steps` install, unless it exists; return why that failed, or None.

    An environment with the first steps gets the others. An environment with other pins is made anew, because an
    installer would keep 2.13.0+cpu if 2.13.0 with CUDA is wanted. The package index `index` is used only if the
    configured ones lack a pin: a mirror or a local wheel saves a download.
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


def explain_absence(absent: Mapping[str, str]) -> str:
    """Return one paragraph: which environments are absent, why, and what to do; `absent` is {environment: reason}."""
    names: dict[str, list[str]] = {}
    for environment, reason in absent.items():
        names.setdefault(reason, []).append(environment)
    reasons = " ".join(f"{', '.join(environments)}: {reason}." for reason, environments in names.items())
    return f"No environment can be used, so there is nothing to run. {reasons} Then give the same command again."


class Installing:
    """Locks this checkout's environments while they are made: two Noxes that make one at once would break it."""

    def __init__(self) -> None:
        self.lock = contextlib.ExitStack()
        self.is_locked = False
        self.tool: Installer | None = None

    def begin(self, session: nox.Session) -> None:
        """Wait until no other Nox installs in this checkout, and warn about the wait."""
        if not self.is_locked:
            busy = "Another Nox is installing into this checkout's environments: this one waits for it."
            self.lock.enter_context(locked(registry.STATE, busy, "install.lock", session.warn))
            self.is_locked = True

    def end(self) -> None:
        """Let others install."""
        self.lock.close()
        self.is_locked = False

    def installer(self, session: nox.Session) -> Installer:
        """Return what installs, found once."""
        self.tool = self.tool or installer(Path(session.cache_dir).absolute().parent, session.warn)
        return self.tool

    def environment(self, session: nox.Session, row: registry.Environment) -> str:
        """Return the interpreter of a row's environment, made first if needed; raises CannotInstallError."""
        if why := machine.missing_packages(row.system):
            raise CannotInstallError(why)
        steps = [step for step in (row.bootstrap, pins(row)) if step]
        index = index_of(row)
        return self._made(session, f"install-{row.name.replace('.', '-')}", row.python, steps, index)

    def use_tools(self, session: nox.Session, *files: str) -> None:
        """Let a session run with the tools' environment; others may install then.

        Python keeps what it compiles, even if the user's shell forbids it. Nothing is compiled at the installation, so
        every measured process would compile its framework again.
        """
        self.begin(session)
        try:
            folder = os.path.dirname(self.tools(session, *files))
        except CannotInstallError as error:
            session.error(f"The tools' environment cannot be made: {error}")
        self.end()
        os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"].removeprefix(folder + os.pathsep)
        os.environ["VIRTUAL_ENV"] = os.path.dirname(folder)
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

    def tools(self, session: nox.Session, *files: str) -> str:
        """Return the interpreter of the environment that holds all sessions' tools; `files` name further pins."""
        return self._made(session, "tools", TOOL_PYTHONS, [pins_of(*TOOLS), *map(pins_of, files)])

    def _made(
        self, session: nox.Session, name: str, versions: list[str], steps: list[list[str]], index: str | None = None
    ) -> str:
        home = Path(session.cache_dir).absolute().parent / name
        if holds(home)[: len(steps)] != steps:
            tool = self.installer(session)
            python = self._python(tool, versions, str(home.parent / "python"), session.warn)
            session.log(f"Installing into {name}: {' '.join(word for step in steps for word in step)}")
            if why := fill(tool, home, python, steps, index):
                raise CannotInstallError(f"its installation failed: {why}")
        return str(home / "bin" / "python")

    @staticmethod
    def _python(tool: Installer, versions: list[str], downloads: str, say: Callable[[str], None]) -> str:
        """Return an interpreter of one of these versions; uv downloads it into `downloads` if there is none."""
        if python := find_python(versions, downloads):
            return python
        why = download(tool.uv, versions, downloads, say)
        if python := find_python(versions, downloads):
            return python
        wanted, best = " or ".join(versions), versions[0]
        raise CannotInstallError(
            f"no Python {wanted} is on this machine, and {why}; install one, for example by `pyenv install {best}`, "
            f"`uv python install {best}` or the system's packages"
        )


def run_bench(session: nox.Session, *words: str) -> None:
    """Run the bench. After Ctrl-C it needs more time to end its workers than Nox leaves by default."""
    session.run("python", "-m", "bench", *words, interrupt_timeout=PATIENCE_S, terminate_timeout=PATIENCE_S)


installing = Installing()  # of this Nox


class Installed:
    """Environments as a run of the bench wants them: each one's interpreter, or why it is absent."""

    def __init__(self) -> None:
        self.pythons: dict[str, str] = {}
        self.absent: dict[str, str] = {}

    def add(self, session: nox.Session, rows: Iterable[registry.Environment]) -> None:
        """Install environments whose pins changed. If one fails, it is absent, and the reason is kept."""
        installing.begin(session)
        for row in rows:
            try:
                self.pythons[row.name] = installing.environment(session, row)
            except CannotInstallError as error:
                self.absent[row.name] = " ".join(str(error).split())[-600:]
                session.warn(f"{row.name} is left out: {error}")

    @property
    def options(self) -> list[str]:
        """The options of the bench that name each interpreter, or the reason of an absent environment."""
        options = [f"--python={name}={python}" for name, python in self.pythons.items()]
        return options + [f"--absent={name}={reason}" for name, reason in self.absent.items()]


def _cache(folder: Path, environ: dict[str, str]) -> Path:
    """Return where uv keeps packages: its usual place if files there can be linked into environments, else ours."""
    usual = Path(environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    with contextlib.suppress(OSError):
        usual.mkdir(parents=True, exist_ok=True)
        if usual.stat().st_dev == folder.stat().st_dev and os.access(usual, os.W_OK):
            return usual / "uv"
    return folder / "uv-cache"
