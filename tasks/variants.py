"""Make environments with another version of a package, to measure them beside a row of the table.

`nox -s bench -- --against keras==3.12.0` wants that pin exactly. Of the other packages, those that cannot stay are
resolved anew. The new row is written into a copy of the framework's folder below .bench/against. Its parity answers and
results are there too, so nothing of it is published.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import nox

from bench import registry
from bench.errors import DefinitionError
from bench.registry import Environment
from tasks.installing import CannotInstallError, Installer, index_of, installing, pins

FOLDER = Path(registry.STATE, "against")
NAME = re.compile(r"([A-Za-z0-9][\w.-]*?)(?:\[([^]]*)\])?\s*(==|@|$)")  # of a requirement, and its extras
WHEEL = re.compile(r"([A-Za-z0-9]\w*)-([\w.+!]+)-.*\.whl")
KEPT = 300  # characters of a resolver's reason


class Variant(NamedTuple):
    """A row with other pins."""

    base: Environment
    name: str
    python: str  # version
    packages: list[str]
    changes: dict[str, tuple[str, str]]  # package -> (version of the row, version here)

    @property
    def row(self) -> Environment:
        """The row as the registry would read it."""
        return self.base._replace(name=self.name, title=self.title, python=[self.python], packages=self.packages,
                                  cpu=[], gpu=[], is_default=False)  # fmt: skip

    @property
    def changed(self) -> str:
        """Each changed pin, as "keras 3.15.0 -> 3.12.0"."""
        changes = (f"{package} {before} -> {after}" for package, (before, after) in self.changes.items())
        return ", ".join(changes) or "the same versions"

    @property
    def title(self) -> str:
        """What tables call it: the row and each changed version."""
        changed = ", ".join(f"{package} {after}" for package, (_, after) in self.changes.items())
        return f"{self.base.title} with {changed}"


def package_of(requirement: str) -> str:
    """Return the name of the package that a requirement is about, which may be a wheel's path or address."""
    file = WHEEL.fullmatch(os.path.basename(requirement))
    named = NAME.match(requirement)
    if not file and not (named and named[3]):
        raise DefinitionError(
            f"--against {requirement}: expected PACKAGE==VERSION, PACKAGE @ ADDRESS, or a wheel file."
        )
    return _normal(file[1] if file else named[1] if named else "")


def affected(requirement: str, rows: Sequence[Environment]) -> list[Environment]:
    """Return the rows that pin a requirement's package; raises DefinitionError if none does."""
    package = package_of(requirement)
    found = [row for row in rows if package in {_normal(name) for name, _ in named(pins(row))}]
    if not found:
        known = sorted({name for row in rows for name, _ in named(pins(row))})
        raise DefinitionError(f"No environment pins {package}. What they pin: {', '.join(known)}.")
    return found


def resolve(tool: Installer, row: Environment, requirements: Sequence[str], scratch: Path) -> Variant:
    """Return a row with other pins; raises CannotInstallError with the resolver's reason for each Python of the row."""
    if not tool.uv:
        raise CannotInstallError("uv, which resolves the other packages, is not installed")
    reasons = []
    for python in row.python:
        for index in dict.fromkeys([index_of(row), ""]):  # its own index may not answer
            found = _compiled(tool, row, requirements, python, index, scratch)
            if isinstance(found, dict):
                return _variant(row, requirements, python, found)
        reasons.append(f"Python {python}: {found}")
    raise CannotInstallError(f"{' and '.join(requirements)} cannot be installed beside the row's packages. "
                             + " ".join(dict.fromkeys(reasons)))  # fmt: skip


def _compiled(
    tool: Installer, row: Environment, requirements: Sequence[str], python: str, index: str, scratch: Path
) -> dict[str, str] | str:
    """Return {package: version} that the resolver chose, or why it found nothing.

    uv keeps the versions of its last output wherever they fit, so the row's own pins are written there first.
    """
    scratch.mkdir(parents=True, exist_ok=True)
    wanted, chosen = scratch / "wanted.in", scratch / "chosen.txt"
    wanted.write_text("\n".join(_wanted(row, requirements)), encoding="utf-8")
    chosen.write_text("\n".join(pins(row)), encoding="utf-8")
    command = [*tool.uv, "pip", "compile", "-q", str(wanted), "--output-file", str(chosen), "--python-version", python,
               "--no-header", "--no-annotate", *(["--index", index] if index else [])]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=tool.environ)
    if done.returncode:
        return " ".join((done.stderr or done.stdout).split())[-KEPT:]
    return {_normal(name): version for name, version in named(chosen.read_text(encoding="utf-8").splitlines())}


def _wanted(row: Environment, requirements: Sequence[str]) -> Iterator[str]:
    """Yield a row's packages: the requested ones as they were requested, the others without their versions."""
    requested = {package_of(requirement): requirement for requirement in requirements}
    for pin in pins(row):
        named, marker = NAME.match(pin), pin.partition(";")[2].strip()
        package, extras = (named[1], f"[{named[2]}]" if named[2] else "") if named else (pin, "")
        requirement = requested.get(_normal(package), package)
        text = re.sub(rf"(?i)^{re.escape(package)}(?!\[)", package + extras, requirement)
        yield f"{text} ; {marker}" if marker else text


def _variant(row: Environment, requirements: Sequence[str], python: str, found: dict[str, str]) -> Variant:
    before = {_normal(name): version for name, version in named(pins(row))}
    changes = {name: (version, found[name]) for name, version in before.items() if found.get(name, version) != version}
    asked = {package_of(requirement): requirement for requirement in requirements}
    packages = [
        _with_version(pin, asked.get(_normal(name), ""), found)
        for pin, (name, _) in zip(pins(row), named(pins(row)), strict=True)
        if _normal(name) in found
    ]
    suffix = "-".join(f"{name}-{found[name]}" for name in asked)
    return Variant(
        row, re.sub(r"[^\w.-]+", "-", f"{row.name}-{suffix}"), python, list(dict.fromkeys(packages)), changes
    )


def _with_version(pin: str, requested: str, found: dict[str, str]) -> str:
    """Return a pin with the version that was chosen; a wheel or an address stays as it was requested."""
    if requested and "==" not in requested:
        return requested
    named = NAME.match(pin)
    if not named:
        return pin
    marker = pin.partition(";")[2].strip()
    extras = f"[{named[2]}]" if named[2] else ""
    text = f"{named[1]}{extras}=={found[_normal(named[1])]}"
    return f"{text}; {marker}" if marker else text


def install(
    session: nox.Session, requirements: Sequence[str], rows: Sequence[Environment]
) -> list[tuple[Variant, str]]:
    """Make an environment for each row that pins a requested package; return the variants and their interpreters.

    A row that cannot have the requested version is left out with the reason; raises CannotInstallError if all are.
    """
    wanted = {requirement: affected(requirement, rows) for requirement in requirements}
    installing.begin(session)
    made, reasons = [], []
    for row in rows:
        own = [requirement for requirement, found in wanted.items() if row in found]
        if not own:
            continue
        try:
            variant = resolve(installing.installer(session), row, own, FOLDER / "pins")
            made.append((variant, installing.environment(session, variant.row)))
            session.log(f"{variant.name}: Python {variant.python}, {variant.changed}")
        except CannotInstallError as error:
            reasons.append(f"{row.name}: {error}")
            session.warn(f"{row.name} is left out: {error}")
    if not made:
        raise CannotInstallError(" ".join(reasons))
    return made


def write(variants: Sequence[Variant], folder: Path = FOLDER) -> Path:
    """Write copies of the variants' frameworks, with a row for each variant; return the folder of frameworks."""
    frameworks = folder / "frameworks"
    shutil.rmtree(frameworks, ignore_errors=True)
    for source in dict.fromkeys(variant.base.folder for variant in variants):
        copy = frameworks / os.path.basename(source)
        shutil.copytree(source, copy, ignore=shutil.ignore_patterns("__pycache__"))
        rows = [_row(variant) for variant in variants if variant.base.folder == source]
        with (copy / "framework.toml").open("a", encoding="utf-8") as file:
            file.write("".join(rows))
    about = {variant.name: {"base": variant.base.name, "title": variant.title} for variant in variants}
    (folder / "variants.json").write_text(json.dumps(about, indent=1), encoding="utf-8")
    return frameworks


def _row(variant: Variant) -> str:
    fields = {"like": variant.base.name, "title": variant.title, "python": [variant.python], "released": "",
              "default": False, "packages": variant.packages, "cpu": [], "gpu": []}  # fmt: skip
    lines = [f"{name} = {json.dumps(value)}\n" for name, value in fields.items()]  # these values are the same in TOML
    return "".join([f"\n[environments.{json.dumps(variant.name)}]\n", *lines])


def keep_answers(workloads: Sequence[str], folder: Path = FOLDER) -> Path:
    """Copy the published parity answers, with which those of the variants are compared; return their folder."""
    answers = folder / "parity"
    for file in Path(registry.ROOT, "results", "parity").glob("*/*.npz"):
        copy = answers / file.parent.name / file.name
        if file.name.split(".")[0] in workloads and not copy.exists():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
    return answers


def named(lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return (package, version) of each pin; of a wheel or an address, no version."""
    found = (re.match(r"([\w.-]+)(?:\[[^]]*\])?\s*(?:==\s*([\w.+!]+)|@)", line) for line in lines)
    return [(match[1], match[2] or "") for match in found if match]


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
