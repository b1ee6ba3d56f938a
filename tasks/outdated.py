"""Look up the newest release of every package that environments of today pin, and keep the list for the site."""

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
BUILD = re.compile(r"([\w.-]+)==[\w.]+\+\w+")  # of a pin for one device, which comes from the row's own index
PATIENCE_S = 60


def pins(environment: Environment) -> dict[str, str]:
    """Return the version of each package that an environment pins on a CPU: {package: version}."""
    matches = (PIN.match(pin) for pin in (*environment.packages, *environment.cpu))
    return {match[1]: match[2] for match in matches if match}


def look_up(package: str, pip: Sequence[str], python: str = "") -> str | None:
    """Return the newest final release in pip's index, for one version of Python or for any; None if pip finds none."""
    limits = ["--python-version", python, "--only-binary", ":all:"] if python else ["--ignore-requires-python"]
    try:
        done = subprocess.run([*pip, "index", "versions", package, *limits, "--no-input"], capture_output=True,
                              text=True, check=False, timeout=PATIENCE_S)  # fmt: skip
    except subprocess.TimeoutExpired:
        return None
    match = re.match(rf"{re.escape(package)} \(([\w.!+]+)\)", done.stdout)
    return match[1] if done.returncode == 0 and match else None


def held_back(package: str, version: str, pythons: Sequence[str], pip: Sequence[str]) -> str:
    """Return why a release does not install on the first of some Pythons; empty if it does or nothing is found."""
    answers = dict[str, str | None]()
    for python in pythons:
        answers[python] = look_up(package, pip, python)
        if answers[python] == version:
            return f"needs Python {python}" if len(answers) > 1 else ""
    return f"no wheel for Python {pythons[0]} to {pythons[-1]}" if any(answers.values()) else ""


def report(environments: Sequence[Environment], newest: Mapping[str, Release]) -> Iterator[str]:
    """Yield the text on each environment: each pin that has a newer release, with both versions and what to do."""
    for environment in environments:
        lines = [f"  {name} {version} -> {newest[name].version}: {_advice(environment, newest[name])}"
                 for name, version in pins(environment).items()
                 if name in newest and releases.numbers(newest[name].version) > releases.numbers(version)]  # fmt: skip
        yield "\n".join([environment.name, *lines]) if lines else f"{environment.name}: newest releases"


def _advice(environment: Environment, release: Release) -> str:
    if release.held_back:
        return f"{release.held_back}. Keep the pin; a row with default = false can have it"
    builds = {match[1] for pin in environment.cpu if (match := BUILD.match(pin))}
    if release.package in builds:
        return f"edit the pin if {environment.index.get('cpu')} has a build for a CPU"
    return f"installs on Python {environment.python[0]}, edit the pin"


@nox.session
def outdated(session: nox.Session) -> None:
    """Compare environments of today with the newest releases; writes the list that the site's marks come from."""
    environments = [registry.environment(name) for name in sorted(releases.of_recent_years())]
    packages = sorted({name for row in environments for name in pins(row)})
    pythons = sorted({python for row in environments for python in row.python}, key=releases.numbers)
    pip, today = pip_settings.find_pip(Path(registry.STATE, "pip")), date.today().isoformat()  # noqa: DTZ011
    versions = {name: look_up(name, pip) for name in packages}
    if not any(versions.values()):
        session.error("No release was found: pip's index does not answer. The list is unchanged. Check the network.")
    held = {name: reason for row in environments for name, reason in row.held.items()}
    reasons = {name: held_back(name, version, pythons, pip) or held.get(name, "")
               for name, version in versions.items() if version}  # fmt: skip
    newest = releases.newest() | {
        name: Release(name, str(versions[name]), today, reason) for name, reason in reasons.items()
    }
    with releases.FILE.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Release._fields)
        writer.writerows(newest[name] for name in packages if name in newest)
    print(*report(environments, newest), sep="\n")
    for name in packages:
        if not versions[name]:
            print(f"Not found in pip's index: {name}. Its last entry is kept.", file=sys.stderr)
    print(f"Written: {releases.FILE.relative_to(inputs.ROOT)}. To update an environment, follow\n"
          "docs/decisions/0020-what-is-measured-when-a-framework-releases.md")  # fmt: skip
