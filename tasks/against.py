"""Sessions that measure other versions of a package: beside the row's own, or release by release (`--bisect`)."""

import argparse
import json
import math
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import nox

from analysis.releases import numbers
from bench import registry
from bench.errors import DefinitionError
from bench.registry import Environment
from tasks import pip_settings, variants
from tasks.installing import CannotInstallError, installing, pins, run_bench

PATIENCE_S = 60
Measure = Callable[[str], dict[str, Any] | None]  # version -> its verdict; None: it cannot be measured


class Change(NamedTuple):
    """Two neighbouring releases between which a time changed, and the verdicts of all measured ones."""

    before: str
    after: str
    verdicts: dict[str, dict[str, Any] | None]  # in the order in which they were measured


def wanted(session: nox.Session) -> str:
    """Return the session that a command asks for instead of the usual rounds; empty: none."""
    options, _ = _options(session)
    return "_bisect" if options.bisect else "_against" if options.against else ""


def _options(session: nox.Session) -> tuple[argparse.Namespace, list[str]]:
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for name in ("--against", "--environment", "--workload"):
        parser.add_argument(name, action="append", default=[])
    for name in ("--bisect", "--since"):
        parser.add_argument(name, default="")
    return parser.parse_known_args(session.posargs)


def _rows(names: Sequence[str]) -> list[Environment]:
    rows = registry.environments().values()
    return [registry.environment(name) for name in names] or [row for row in rows if row.is_default]


@nox.session
def _against(session: nox.Session) -> None:
    """(internal, follows bench --against) Measure rows beside themselves with other versions, and conclude."""
    options, others = _options(session)
    try:
        _measure(session, options.against, _rows(options.environment), options.workload, others)
    except (DefinitionError, CannotInstallError) as error:
        session.error(str(error))
    session.run("python", "-m", "analysis", "against", success_codes=[0, 2])


def _measure(
    session: nox.Session, requirements: Sequence[str], rows: Sequence[Environment], workloads: Sequence[str],
    others: Sequence[str],
) -> None:  # fmt: skip
    """Measure rows beside themselves with requested versions, with answers and results of their own."""
    made = variants.install(session, requirements, rows)
    bases = {variant.base.name: installing.environment(session, variant.base) for variant, _ in made}
    pythons = bases | {variant.name: python for variant, python in made}
    installing.use_tools(session)
    run_bench(
        session, "run", "--no-table",
        f"--frameworks={variants.write([variant for variant, _ in made])}",
        f"--answers={variants.keep_answers(workloads or registry.workload_names())}",
        f"--results={variants.FOLDER / 'results'}",
        *(f"--python={name}={python}" for name, python in pythons.items()),
        *(f"--workload={name}" for name in workloads), *others,
    )  # fmt: skip


@nox.session
def _bisect(session: nox.Session) -> None:
    """(internal, follows bench --bisect) Find the release of a package in which a time changed."""
    options, others = _options(session)
    package, workloads, rows = options.bisect, options.workload, _rows(options.environment)
    if len(workloads) != 1:
        session.error("Name one workload: nox -s bench -- --bisect keras --since 3.6.0 --workload imdb_gru")
    try:
        row = variants.affected(f"{package}==0", rows)[0]
        versions = _releases(package, options.since, dict(variants.named(pins(row)))[package])
    except DefinitionError as error:
        session.error(str(error))
    session.log(f"{len(versions)} releases of {package}, at most {math.ceil(math.log2(len(versions))) + 1} to measure.")

    def measured(version: str) -> dict[str, Any] | None:
        try:
            _measure(session, [f"{package}=={version}"], [row], workloads, others)
        except (CannotInstallError, nox.command.CommandFailed) as error:
            session.warn(f"{package} {version} is left out: {error}")
            return None
        text = session.run("python", "-m", "analysis", "against", "--json", silent=True, success_codes=[0, 2])
        verdicts = [verdict for verdict in json.loads(str(text)) if verdict["ratio"]]
        session.log(f"{package} {version}: {verdicts[0]['word'] if verdicts else 'not measured'}")
        return verdicts[0] if verdicts else None

    found = search(versions, measured)
    session.log("\n".join(conclude(package, versions, found)))


def _releases(package: str, since: str, until: str) -> list[str]:
    """Return the final releases from `since` to `until`, oldest first, as pip's index lists them."""
    command = [*pip_settings.find_pip(Path(registry.STATE, "pip")), "index", "versions", package,
               "--ignore-requires-python", "--no-input"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    listed = [line.partition(":")[2] for line in done.stdout.splitlines() if line.startswith("Available versions:")]
    if not listed:
        raise DefinitionError(f"pip's index lists no release of {package}: {done.stderr.strip()[-200:]}")
    every = sorted({version.strip() for version in listed[0].split(",")}, key=numbers)
    chosen = [version for version in every if numbers(since) <= numbers(version) <= numbers(until)]
    if len(chosen) < 2:
        raise DefinitionError(f"There are no two releases of {package} from {since or 'the first'} to {until}.")
    return chosen


def search(versions: Sequence[str], measure: Measure) -> Change:
    """Find two neighbouring releases between which the time changed, by halving; the last version is the row's own.

    A release that cannot be measured is left out, with its place. If the oldest and the newest one do not
    differ, no release is named: `before` and `after` are empty.
    """
    left, verdicts = list(versions), dict[str, dict[str, Any] | None]()

    def verdict(place: int) -> dict[str, Any] | None:
        version = left[place]
        if version not in verdicts:
            verdicts[version] = measure(version)
        if verdicts[version] is None:
            left.pop(place)
        return verdicts[version]

    oldest = None
    while oldest is None and len(left) > 1:
        oldest = verdict(0)
    if oldest is None or oldest["word"] not in ("slower", "faster"):
        return Change("", "", verdicts)
    low, high = 0, len(left) - 1
    while high - low > 1:
        middle = (low + high) // 2
        found = verdict(middle)
        if found is None:
            high -= 1
        elif _is_nearer(found["ratio"], oldest["ratio"]):
            low = middle
        else:
            high = middle
    return Change(left[low], left[high], verdicts)


def _is_nearer(ratio: float, oldest: float) -> bool:
    """Say whether a ratio is nearer to that of the oldest release than to 1, on a logarithmic scale."""
    return math.log(ratio) / math.log(oldest) > 0.5


def conclude(package: str, versions: Sequence[str], found: Change) -> list[str]:
    """Return the lines that say what was measured, and where the change is."""
    lines = ["", f"{package}, beside {versions[-1]}:"]
    for version in sorted(found.verdicts, key=numbers):
        verdict = found.verdicts[version]
        ratio = f"{verdict['ratio']:.3f} times as long, {verdict['word']}" if verdict else "could not be measured"
        lines.append(f"  {version:10} {ratio}")
    if not found.before:
        is_open = any(verdict and verdict["word"] == "open" for verdict in found.verdicts.values())
        word = "Not decided: give more time (--budget 30m)." if is_open else "No significant change."
        return [*lines, f"{word} Measured between {versions[0]} and {versions[-1]}."]
    left_out = [version for version in versions if numbers(found.before) < numbers(version) < numbers(found.after)]
    between = f", or in one of {', '.join(left_out)}, which could not be measured" if left_out else ""
    return [*lines, f"The time changed in {found.after}{between}: {found.before} is not like it."]
