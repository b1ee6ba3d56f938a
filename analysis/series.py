"""Series of releases: rows that differ in the version of one package, as bench/frameworks/<name>/releases.toml lists.

`nox -s versions` measures each series side by side. A release is a row like an environment of the framework, with
other pins; it is in no other table. bench/frameworks/README.md explains the file.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from bench import registry
from bench.errors import DefinitionError
from bench.registry import Environment

FILE = "releases.toml"
FOLDER = Path(registry.ROOT, "results", "versions")  # a machine's folder has its campaigns, `parity` the answers
WORKLOADS = ("mnist_mlp", "keras_cifar10_cnn", "imdb_gru", "lstm_forecast", "text_transformer")
PIN = re.compile(r"(?P<name>[\w.-]+)(?P<extras>\[[^]]*\])?==(?P<version>[\w.+!]+)(?P<marker>.*)")


class Release(NamedTuple):
    """A release of a series: an environment of a framework.toml, or a row like one."""

    version: str  # of the series' package
    row: Environment
    base: Environment  # the environment that the row is like, or the row itself
    patch: Mapping[str, str] = {}  # texts of the framework's adapter that this release needs replaced

    @property
    def is_listed(self) -> bool:
        """Whether the row is from a releases.toml, not an environment of a framework.toml."""
        return self.row.name != self.base.name


class Series(NamedTuple):
    """Releases of one package, the oldest first."""

    name: str
    title: str
    package: str
    look: tuple[str, str]  # colour and marker, those of an environment
    releases: list[Release]

    @property
    def frameworks(self) -> set[str]:
        """The frameworks of its rows."""
        return {release.base.framework for release in self.releases}


def read(folder: str = registry.FRAMEWORKS) -> dict[str, Series]:
    """Return every series by name; raises DefinitionError for a file with a wrong key or name."""
    known = registry.environments(folder)
    found: dict[str, Series] = {}
    for path in (Path(folder, name, FILE) for name in registry.framework_names(folder)):
        if path.exists():
            stated = registry.read_toml(str(path))
            found |= {name: _series(name, own, stated, known, path) for name, own in stated["series"].items()}
    return found


def _series(
    name: str, stated: Mapping[str, Any], file: Mapping[str, Any], known: Mapping[str, Environment], path: Path
) -> Series:
    where = f"{path} [{name}]"
    if lacking := [key for key in ("title", "package", "like") if key not in stated]:
        raise DefinitionError(
            f"{where}: {', '.join(lacking)} is missing; bench/frameworks/README.md explains the keys."
        )
    if stated["like"] not in known:
        raise DefinitionError(f"{where}: there is no environment {stated['like']!r}.")
    base, package = known[stated["like"]], stated["package"]
    own = [known[row] for row in stated.get("rows", []) if row in known]  # another framework's folder may be deleted
    is_base_like_them = not ({"python", "pins"} & stated.keys())
    whole = [*own, *([base] if is_base_like_them else [])]
    releases = [Release(_version(row, package), row, row) for row in whole]
    for version, more in stated.get("releases", {}).items():
        patch = {text: other for key in more.get("patches", []) for text, other in file["patches"][key].items()}
        releases.append(Release(version, _row(name, version, more, stated, base), base, patch))
    shown = known.get(stated.get("look", ""), base)
    ordered = sorted(releases, key=lambda release: release.row.released)
    return Series(name, stated["title"], package, (shown.color, shown.marker), ordered)


def _row(name: str, version: str, more: Mapping[str, Any], stated: Mapping[str, Any], base: Environment) -> Environment:
    """Return the row of a release: the base with other pins, perhaps with another Python."""
    further = {**stated.get("pins", {}), **more.get("pins", {})}
    wanted = {stated["package"]: version, f"{stated['package']}-cpu": version, **further}
    packages, cpu, gpu = ([_pinned(pin, wanted) for pin in pins] for pins in (base.packages, base.cpu, base.gpu))
    known = {pin["name"].lower() for pin in map(PIN.match, (*packages, *cpu, *gpu)) if pin}
    packages += [f"{package}=={pin}" for package, pin in further.items() if package not in known]
    return base._replace(
        name=f"{name}-{version}", title=stated["release"].format(version), released=more["released"],
        python=[stated["python"]] if "python" in stated else base.python, packages=packages, cpu=cpu, gpu=gpu,
        is_default=False,
    )  # fmt: skip


def _pinned(pin: str, wanted: Mapping[str, str]) -> str:
    found = PIN.match(pin)
    if not found or found["name"].lower() not in wanted:
        return pin
    return f"{found['name']}{found['extras'] or ''}=={wanted[found['name'].lower()]}{found['marker']}"


def _version(row: Environment, package: str) -> str:
    """Return the version of a package that a row pins; raises DefinitionError if it does not pin it."""
    names = (package, f"{package}-cpu")
    pins = [pin for pin in map(PIN.match, (*row.packages, *row.cpu)) if pin and pin["name"].lower() in names]
    versions = [pin["version"].partition("+")[0] for pin in pins]
    if not versions:
        raise DefinitionError(f"{row.name} pins no {package}, whose releases a series in {FILE} lists.")
    return versions[0]


def listed(every: Mapping[str, Series]) -> Iterator[Release]:
    """Yield the releases that are rows of their own."""
    return (release for series in every.values() for release in series.releases if release.is_listed)
