"""Sessions that measure other versions of a package: beside the row's own, or release by release (`--bisect`)."""

import json
import math
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import nox
from packaging.requirements import Requirement

from analysis.__main__ import AGAINST
from analysis.releases import numbers
from bench import registry
from bench.errors import DefinitionError
from bench.registry import Environment
from tasks import pip_settings, regression, resolving, variants
from tasks.installing import installing, run_bench
from tasks.posargs import options
from tasks.regression import Side

PATIENCE_S = 60
Verdict = dict[str, Any]  # as JSON of analysis/compare/against.py
Measure = Callable[[str], Verdict]  # of a version; its ratio is None if it cannot be measured


class Change(NamedTuple):
    """Two neighbouring releases between which a time changed, and the verdicts of all measured ones."""

    before: str
    after: str
    verdicts: dict[str, Verdict]  # in the order in which they were measured


def wanted(session: nox.Session) -> str:
    """Return the session that a command asks for instead of the usual rounds; empty: none."""
    chosen, _ = options(session)
    return "_bisect" if chosen.bisect else "_against" if chosen.against else ""


def _rows(names: Sequence[str]) -> list[Environment]:
    rows = registry.environments().values()
    return [registry.environment(name) for name in names] or [row for row in rows if row.is_default]


@nox.session
def _against(session: nox.Session) -> None:
    """(internal, follows bench --against) Measure rows beside themselves with other versions, and conclude."""
    chosen, others = options(session)
    try:
        requests = [resolving.request(text, session.invoked_from) for text in chosen.against]
        made = _measure(session, requests, _rows(chosen.environment), chosen.workload, others)
    except DefinitionError as error:
        session.error(str(error))
    verdicts = _verdicts(session)
    session.log("\n".join(["", *(verdict["sentence"] for verdict in verdicts)]))
    by_name = {variant.name: variant for variant in made.variants}
    for verdict in verdicts:
        if verdict["row"] in by_name and verdict["word"] == "slower":
            variant = by_name[verdict["row"]]
            _write(session, variant.base, requests[0].name, verdict, _sides(variant, verdict["ratio"]))
    if not any(verdict["ratio"] for verdict in verdicts):
        session.error("Nothing was measured.")


def _measure(
    session: nox.Session, requests: Sequence[Requirement], rows: Sequence[Environment], workloads: Sequence[str],
    others: Sequence[str],
) -> variants.Made:  # fmt: skip
    """Measure rows beside themselves with requested versions, with answers and results of their own."""
    made = variants.install(session, requests, rows)
    frameworks = variants.write(made)
    installing.use_tools(session)
    if made.variants:
        run_bench(
            session, "run", "--no-table", f"--frameworks={frameworks}",
            f"--answers={variants.keep_answers(workloads)}", f"--results={AGAINST / 'results'}",
            *(f"--python={name}={python}" for name, python in made.interpreters.items()),
            *(f"--workload={name}" for name in workloads), *others,
        )  # fmt: skip
    return made


def _verdicts(session: nox.Session) -> list[Verdict]:
    text = session.run("python", "-m", "analysis", "against", "--json", silent=True, success_codes=[0, 2])
    verdicts: list[Verdict] = json.loads(str(text))
    return verdicts


def _sides(variant: resolving.Variant, ratio: float) -> tuple[Side, Side]:
    """Return a variant and its row as the two sides of a script."""
    there, usual = (", ".join(f"{package} {change[place]}" for package, change in variant.changes.items())
                    for place in (1, 0))  # fmt: skip
    return Side(there, variant.packages, ratio), _own_side(variant.base, usual)


def _own_side(row: Environment, title: str) -> Side:
    return Side(title, [str(pin) for pin in resolving.pinned(row)], 1.0)


def _write(session: nox.Session, row: Environment, package: str, verdict: Verdict, sides: Sequence[Side]) -> None:
    """Write the script of a change, and print its path."""
    path = regression.write(row, package, verdict, sides)
    why = f"{row.framework} has no script for mode {verdict['mode']} of this question"
    session.log(f"A script that shows it without this project: {path}" if path else f"No script for an issue: {why}.")


@nox.session
def _bisect(session: nox.Session) -> None:
    """(internal, follows bench --bisect) Find the release of a package in which a time changed."""
    chosen, others = options(session)
    if len(chosen.workload) != 1:
        session.error("Name one workload: nox -s bench -- --bisect keras --since 3.6.0 --workload imdb_gru")
    try:
        row = resolving.affected(chosen.bisect, _rows(chosen.environment))[0]
        pin = resolving.pin_of(row, chosen.bisect)
        package = pin.name if pin else chosen.bisect
        versions = _releases(package, chosen.since, resolving.version_of(pin) if pin else "")
    except DefinitionError as error:
        session.error(str(error))
    session.log(f"{len(versions)} releases of {package}, at most {math.ceil(math.log2(len(versions))) + 1} to measure.")
    sides = {versions[-1]: _own_side(row, f"{package} {versions[-1]}")}

    def measured(version: str) -> Verdict:
        try:
            made = _measure(session, [Requirement(f"{package}=={version}")], [row], chosen.workload, others)
        except nox.command.CommandFailed as error:
            return {"ratio": None, "cause": "the bench failed", "reason": str(error)}
        verdicts = [verdict for verdict in _verdicts(session)
                    if verdict["about"].get("workload", chosen.workload[0]) == chosen.workload[0]]  # fmt: skip
        session.log("\n".join(["", *(verdict["sentence"] for verdict in verdicts)]))
        verdict = max(verdicts, key=lambda verdict: verdict["ratio"] is not None)
        if verdict["ratio"]:
            sides[version] = Side(f"{package} {version}", made.variants[0].packages, verdict["ratio"])
        return verdict

    found = search(versions, measured)
    session.log("\n".join(conclude(package, versions, found)))
    if found.before:
        changed = sorted((sides[version] for version in (found.before, found.after)), key=lambda side: -side.ratio)
        _write(session, row, package, found.verdicts[found.before], changed)


def _releases(package: str, since: str, until: str) -> list[str]:
    """Return the final releases from `since` to `until`, oldest first, as pip's index lists them."""
    command = [*pip_settings.find_pip(Path(registry.STATE, "pip")), "index", "versions", package,
               "--ignore-requires-python", "--no-input"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE_S)
    listed = [line.partition(":")[2] for line in done.stdout.splitlines() if line.startswith("Available versions:")]
    if not listed:
        raise DefinitionError(f"pip's index lists no release of {package}: {done.stderr.strip()[-200:]}")
    every = sorted({version.partition("+")[0].strip() for version in listed[0].split(",")}, key=numbers)  # no builds
    chosen = [version for version in every if numbers(since) <= numbers(version) <= numbers(until)]
    if len(chosen) < 2:
        raise DefinitionError(f"There are no two releases of {package} from {since or 'the first'} to {until}.")
    return chosen


def search(versions: Sequence[str], measure: Measure) -> Change:
    """Find two neighbouring releases between which the time changed, by halving; the last version is the row's own.

    A release that cannot be measured is left out, with its place. If the oldest and the newest one do not
    differ, no release is named: `before` and `after` are empty.
    """
    left, verdicts = list(versions), dict[str, Verdict]()

    def verdict(place: int) -> Verdict:
        version = left[place]
        if version not in verdicts:
            verdicts[version] = measure(version)
        if verdicts[version]["ratio"] is None:
            left.pop(place)
        return verdicts[version]

    oldest = verdict(0)
    while oldest["ratio"] is None and len(left) > 1:
        oldest = verdict(0)
    if oldest["word"] not in ("slower", "faster"):
        return Change("", "", verdicts)
    low, high = 0, len(left) - 1
    while high - low > 1:
        middle = (low + high) // 2
        found = verdict(middle)
        if found["ratio"] is None:
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
        ratio = f"{verdict['ratio']:.3f} times as long, {verdict['word']}" if verdict["ratio"] else verdict["cause"]
        lines.append(f"  {version:10} {ratio}")
    if not found.before:
        is_open = any(verdict["word"] == "open" for verdict in found.verdicts.values())
        word = "Not decided: give more time (--budget 30m)." if is_open else "No significant change."
        return [*lines, f"{word} Measured between {versions[0]} and {versions[-1]}."]
    left_out = [version for version in versions if numbers(found.before) < numbers(version) < numbers(found.after)]
    between = f", or in one of {', '.join(left_out)}, which could not be measured" if left_out else ""
    return [*lines, f"The time changed in {found.after}{between}: {found.before} is not like it."]
