"""Look up the newest release of every package that a default environment pins, and keep the list for the site."""

import csv
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path

import nox

from analysis import inputs, releases
from analysis.releases import Release
from bench import registry
from bench.registry import Environment
from tasks import pip_settings

PIN = re.compile(r"([\w.-]+)(?:\[[^]]*\])?==([\w.]+)")
PATIENCE_S = 60


def pins(environment: Environment) -> dict[str, str]:
    """Return the version of each package that an environment pins on a CPU: {package: version}."""
    matches = (PIN.match(pin) for pin in (*environment.packages, *environment.cpu))
    return {match[1]: match[2] for match in matches if match}


def look_up(package: str, pip: Sequence[str]) -> str | None:
    """Return the newest final release in pip's index, for any version of Python; None if pip finds none."""
    command = [*pip, "index", "versions", package, "--ignore-requires-python", "--no-input"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    except subprocess.TimeoutExpired:
        return None
    match = re.match(rf"{re.escape(package)} \(([\w.!+]+)\)", done.stdout)
    return match[1] if done.returncode == 0 and match else None


def report(environments: Sequence[Environment], newest: Mapping[str, Release]) -> Iterator[str]:
    """Yield a line for each environment: the pins that have a newer release, with both versions."""
    for environment in environments:
        old = [f"{name} {version} -> {newest[name].version}" for name, version in pins(environment).items()
               if name in newest and releases.numbers(newest[name].version) > releases.numbers(version)]  # fmt: skip
        yield f"{environment.name:<18} {', '.join(old) or 'newest releases'}"


@nox.session
def outdated(session: nox.Session) -> None:
    """Compare every default environment with the newest releases; writes the list that the site's marks come from."""
    environments = [row for row in registry.environments().values() if row.is_default]
    packages = sorted({name for row in environments for name in pins(row)})
    pip, today = pip_settings.find_pip(Path(registry.STATE, "pip")), date.today().isoformat()  # noqa: DTZ011
    versions = {name: look_up(name, pip) for name in packages}
    if not any(versions.values()):
        session.error("No release was found: pip's index does not answer. The list is unchanged. Check the network.")
    newest = releases.newest() | {name: Release(name, version, today) for name, version in versions.items() if version}
    with releases.FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Release._fields)
        writer.writerows(newest[name] for name in packages if name in newest)
    print(*report(environments, newest), sep="\n")
    for name in packages:
        if not versions[name]:
            print(f"Not found in pip's index: {name}. Its last entry is kept.", file=sys.stderr)
    print(f"Written: {releases.FILE.relative_to(inputs.ROOT)}. To update an environment, edit its pins in\n"
          "bench/frameworks/<name>/framework.toml, then: nox -s check -- --environment NAME")  # fmt: skip
