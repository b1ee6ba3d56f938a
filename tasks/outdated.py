"""Look up the newest release of every package that a default environment pins, and keep the list for the site."""

import csv
import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from pathlib import Path

import nox

from analysis import inputs, releases
from analysis.releases import Release
from bench import registry
from bench.registry import Environment
from tasks import pip_settings

PIN = re.compile(r"([\w.-]+)(?:\[[^]]*\])?==([\w.]+)")
SPARE = Path(registry.STATE, "pip")
PATIENCE_S = 60


def pins(environment: Environment) -> dict[str, str]:
    """Return the version of each package that an environment pins on a CPU: {package: version}."""
    found = (PIN.match(each) for each in (*environment.packages, *environment.cpu))
    return {each[1]: each[2] for each in found if each}


def look_up(package: str, pip: Sequence[str]) -> str | None:
    """Return the newest final release in pip's index, for any version of Python; None if pip finds none."""
    asked = [*pip, "index", "versions", package, "--ignore-requires-python", "--no-input"]
    try:
        done = subprocess.run(asked, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return None
    found = re.match(rf"{re.escape(package)} \(([\w.!+]+)\)", done.stdout)
    return found[1] if done.returncode == 0 and found else None


def refresh(
    environments: Sequence[Environment], newest: Callable[[str], str | None], today: str
) -> tuple[list[Release], list[str]]:
    """Return the newest release of each pinned package, and the packages for which none was found."""
    packages = sorted({name for each in environments for name in pins(each)})
    found = {name: newest(name) for name in packages}
    return ([Release(name, version, today) for name, version in found.items() if version],
            [name for name, version in found.items() if not version])  # fmt: skip


def report(environments: Sequence[Environment], known: dict[str, Release]) -> Iterator[str]:
    """Yield a line for each environment: what has a newer release, and which file to edit."""
    for each in environments:
        own = [(name, version, known[name].version) for name, version in pins(each).items() if name in known]
        old = [pin for pin in own if releases.numbers(pin[2]) > releases.numbers(pin[1])]
        told = ", ".join(f"{name} {version} -> {newest}" for name, version, newest in old) or "newest releases"
        yield f"{each.name:<18} {told}"


@nox.session(python=False)
def outdated(session: nox.Session) -> None:
    """Compare every default environment with the newest releases; writes the list that the site's marks come from."""
    own = [each for each in registry.environments().values() if each.is_default]
    pip = pip_settings.find_pip(SPARE)
    found, lacking = refresh(own, lambda name: look_up(name, pip), date.today().isoformat())  # noqa: DTZ011
    if not found:
        session.error("No release was found: pip's index does not answer. The list is unchanged. Check the network.")
    known = {**releases.newest(), **{each.package: each for each in found}}
    with releases.FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Release._fields)
        writer.writerows(known[name] for name in sorted(known) if any(name in pins(each) for each in own))
    print(*report(own, known), sep="\n")
    for name in lacking:
        print(f"Not found in pip's index: {name}. Its last entry is kept.", file=sys.stderr)
    print(f"Written: {releases.FILE.relative_to(inputs.ROOT)}. To update an environment, edit its pins in\n"
          "bench/frameworks/<name>/framework.toml, then: nox -s check -- --environment NAME")  # fmt: skip
