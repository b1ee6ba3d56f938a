"""Resolve a row with another version of a package: the requested pin exactly, the others as they are if they fit."""

import hashlib
import itertools
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlparse

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name, parse_wheel_filename

from bench.errors import DefinitionError
from bench.registry import Environment
from tasks.installing import CannotInstallError, Installer, index_of, pins

BUILDS = ("", "-cpu")  # a request for PACKAGE is one for PACKAGE-cpu if the row pins that build
CAUSES = {  # the first that a resolver's reason contains; a later Python of the row may have a better one
    "there is no version of": "no such release",
    "no wheels with a matching": "no wheel",
    "does not satisfy Python": "no wheel",
    "No solution found": "conflict of pins",
}
INSTALLATION = "installation failed"  # any other cause
LONGEST = 64  # characters of a name in a result file (bench/results/lines.py)
MORE = " and more"  # ends a title that is longer
KEPT = 300  # characters of a resolver's reason


class CannotMakeError(CannotInstallError):
    """A row cannot have a requested version; `cause` is one of CAUSES or INSTALLATION."""

    def __init__(self, cause: str, reason: str) -> None:
        super().__init__(f"{cause}: {reason}")
        self.cause, self.reason = cause, reason


class Variant(NamedTuple):
    """A row with other pins."""

    base: Environment
    name: str
    python: str  # version
    packages: list[str]
    changes: dict[str, tuple[str, str]]  # package or "Python" -> (version of the row, version here)

    @property
    def row(self) -> Environment:
        """The row as the registry would read it."""
        return self.base._replace(name=self.name, title=self.short_title, python=[self.python], packages=self.packages,
                                  cpu=[], gpu=[], released="", is_default=False)  # fmt: skip

    @property
    def changed(self) -> str:
        """Each changed pin, as "keras 3.15.0 -> 3.12.0"."""
        changes = (f"{package} {before} -> {after}" for package, (before, after) in self.changes.items())
        return ", ".join(changes) or "the same versions"

    @property
    def title(self) -> str:
        """What a verdict calls it: the row and each changed version, the requested ones first."""
        changed = ", ".join(f"{package} {after}" for package, (_, after) in self.changes.items())
        return f"{self.base.title} with {changed or 'the same versions'}"

    @property
    def short_title(self) -> str:
        """The title as far as a result file takes it."""
        if len(self.title) <= LONGEST:
            return self.title
        return self.title[: LONGEST - len(MORE)].rpartition(",")[0] + MORE


class Absence(NamedTuple):
    """A row that cannot have the requested versions."""

    base: Environment
    requested: str
    cause: str
    reason: str

    @property
    def name(self) -> str:
        """The name that its row would have."""
        return _row_name(self.base, self.requested)

    @property
    def title(self) -> str:
        """What tables would call it."""
        return f"{self.base.title} with {self.requested}"


def request(text: str, folder: str | Path = ".") -> Requirement:
    """Return what an option --against asks for; a wheel's path is resolved from `folder`."""
    path = Path(folder, text).absolute()
    try:
        if text.endswith(".whl") and "@" not in text:
            if not path.exists():
                raise DefinitionError(f"--against {text}: there is no file {path}.")
            return Requirement(f"{parse_wheel_filename(path.name)[0]} @ {path.as_uri()}")
        found = Requirement(text)
    except ValueError as error:
        raise DefinitionError(f"--against {text}: {error}.") from error
    if not found.url and [part.operator for part in found.specifier] != ["=="]:
        raise DefinitionError(f"--against {text}: expected PACKAGE==VERSION, PACKAGE @ ADDRESS, or a wheel file.")
    return found


def pinned(row: Environment, python: str = "") -> list[Requirement]:
    """Return the pins of a row that apply to this machine, without their markers."""
    about = {"python_version": python or row.python[0]}
    found = [pin for pin in map(Requirement, pins(row)) if not pin.marker or pin.marker.evaluate(about)]
    for pin in found:
        pin.marker = None
    return found


def pin_of(row: Environment, package: str) -> Requirement | None:
    """Return the pin of a package in a row, or that of its build for the CPU; None if the row pins neither."""
    by_name = {_key(pin): pin for pin in pinned(row)}
    found = (by_name.get(canonicalize_name(package + build)) for build in BUILDS)
    return next(filter(None, found), None)


def affected(package: str, rows: Sequence[Environment]) -> list[Environment]:
    """Return the rows that pin a package; raises DefinitionError if none does."""
    found = [row for row in rows if pin_of(row, package)]
    if not found:
        known = sorted({pin.name for row in rows for pin in pinned(row)})
        raise DefinitionError(f"No environment pins {package}. What they pin: {', '.join(known)}.")
    return found


def translated(row: Environment, requested: Requirement) -> Requirement:
    """Return a request for the build that a row pins on this machine.

    For example, `tensorflow==2.20.0` becomes `tensorflow-cpu==2.20.0`, and `torch==2.12.0` becomes `torch==2.12.0+cpu`.
    """
    pin = pin_of(row, requested.name)
    if pin is None or requested.url:
        return requested
    _, _, label = version_of(pin).partition("+")
    version = version_of(requested)
    extras = requested.extras or pin.extras
    return _exact(pin.name, extras, version if "+" in version or not label else f"{version}+{label}")


def version_of(requirement: Requirement) -> str:
    """Return the version that a requirement names; that of a wheel on this machine ends with a hash of the file.

    A wheel that is built anew under the same name is therefore another version.
    """
    if not requirement.url:
        return next((part.version for part in requirement.specifier), "")
    address = urlparse(requirement.url)
    path = Path(unquote(address.path))
    is_local = address.scheme == "file" and path.is_file()
    digest = _digest(path.read_bytes() if is_local else requirement.url.encode())
    if path.suffix != ".whl":
        return digest
    version = str(parse_wheel_filename(path.name)[1])
    return f"{version}-{digest}" if is_local else version


def resolve(
    tool: Installer, row: Environment, requests: Sequence[Requirement], scratch: Path, python: str = ""
) -> Variant:
    """Return a row with other pins, for the Python of the row's environment if there is a solution for it.

    Raises CannotMakeError with the resolver's reason for each Python of the row.
    """
    if not tool.uv:
        raise CannotMakeError(INSTALLATION, "uv, which resolves the other packages, is not installed.")
    wanted = {_key(pin_of(row, requested.name) or requested): translated(row, requested) for requested in requests}
    usual = python or row.python[0]
    reasons: dict[str, list[str]] = {}
    for version in dict.fromkeys([usual, *row.python]):
        indexes = dict.fromkeys([index_of(row), ""])  # its own index may not answer
        for index, are_others_kept in itertools.product(indexes, (True, False)):
            given = _given(row, wanted, version, are_others_kept)
            found, reason = _compiled(tool, given, pinned(row, version), version, index, scratch)
            if found:
                return _variant(row, wanted, (usual, version), found)
        reasons.setdefault(reason, []).append(version)
    lines = (f"On Python {', '.join(versions)}: {_shortened(reason)}" for reason, versions in reasons.items())
    raise CannotMakeError(_cause(reasons), " ".join(lines))


def _cause(reasons: Iterable[str]) -> str:
    """Return the cause for the Python that came nearest to a solution."""
    causes = [next((cause for text, cause in CAUSES.items() if text in reason), INSTALLATION) for reason in reasons]
    return max(causes, key=[*dict.fromkeys(CAUSES.values()), INSTALLATION].index)


def _shortened(reason: str) -> str:
    """Return the explanation in a resolver's message."""
    begin = max(reason.find("Because"), 0)
    return reason[begin:].partition(" hint: ")[0][:KEPT]


def _compiled(
    tool: Installer, wanted: Iterable[str], preferred: Iterable[Requirement], python: str, index: str, scratch: Path
) -> tuple[dict[str, Requirement], str]:
    """Return {package: what the resolver chose}, and why it found nothing.

    uv keeps the versions of its last output wherever they fit, but only if it has a single index.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    given, chosen = scratch / "wanted.in", scratch / "chosen.txt"
    given.write_text("\n".join(wanted), encoding="utf-8")
    chosen.write_text("\n".join(map(str, preferred)), encoding="utf-8")
    command = [*tool.uv, "pip", "compile", "-q", str(given), "--output-file", str(chosen), "--python-version", python,
               "--no-header", "--no-annotate", *(["--index", index] if index else [])]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=tool.environ)
    if done.returncode:
        return {}, " ".join((done.stderr or done.stdout).split())
    lines = chosen.read_text(encoding="utf-8").splitlines()
    found = [Requirement(line) for line in lines if line.strip() and not line.startswith(("-", "#"))]
    return {_key(pin): pin for pin in found}, ""


def _given(row: Environment, wanted: Mapping[str, Requirement], python: str, are_others_kept: bool) -> Iterator[str]:
    """Yield a row's packages: the requested ones as they were requested, the others with or without their versions."""
    for pin in pinned(row, python):
        other = pin if are_others_kept else _with_extras(pin.name, pin.extras)
        yield str(wanted.get(_key(pin)) or other)


def _variant(
    row: Environment, wanted: Mapping[str, Requirement], pythons: tuple[str, str], found: Mapping[str, Requirement]
) -> Variant:
    """Return a row with what was found; `pythons` are that of the row's environment, and that of the variant's."""
    usual, python = pythons
    changes: dict[str, tuple[str, str]] = {}
    packages = []
    for pin in pinned(row, python):
        requested, chosen = wanted.get(_key(pin)), found.get(_key(pin))
        taken = requested if requested and requested.url else chosen
        if taken:
            taken = taken if taken.url else _exact(pin.name, pin.extras, version_of(taken))
            packages.append(str(taken))
            if version_of(taken) != version_of(pin):
                changes[pin.name] = (version_of(pin), version_of(taken))
    if python != usual:
        changes["Python"] = pythons
    changes = dict(sorted(changes.items(), key=lambda change: canonicalize_name(change[0]) not in wanted))
    suffix = "-".join(f"{requirement.name}-{version_of(requirement)}" for requirement in wanted.values())
    return Variant(row, _row_name(row, suffix), python, packages, changes)


def _key(requirement: Requirement) -> str:
    return canonicalize_name(requirement.name)


def _row_name(row: Environment, suffix: str) -> str:
    name = re.sub(r"[^\w.-]+", "-", f"{row.name}-{suffix}")
    return name if len(name) <= LONGEST else f"{name[: LONGEST - 9]}-{_digest(name.encode())}"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:8]


def _with_extras(name: str, extras: set[str]) -> str:
    return f"{name}[{','.join(sorted(extras))}]" if extras else name


def _exact(name: str, extras: set[str], version: str) -> Requirement:
    return Requirement(f"{_with_extras(name, extras)}=={version}")
