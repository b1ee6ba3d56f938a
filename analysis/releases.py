"""When environments were released, and the newest releases of their packages, as `nox -s outdated` last found them.

A build of the site needs no network: it reads analysis/published/releases.csv. Standard library only.
"""

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple

from analysis.literature import FOLDER, rows
from bench import registry

FILE = FOLDER / "releases.csv"
YEARS = 3  # at least, between the oldest version of a question and its newest
NUMBERS = re.compile(r"\d+(?:\.\d+)*")  # of a version, without what follows them, as "+cpu"


class Release(NamedTuple):
    """The newest release of a package, and the day on which it was looked up, as "2026-11-28"."""

    package: str
    version: str
    looked_up: str
    held_back: str = ""  # why rows do not pin it, as "needs Python 3.12"


@functools.cache
def newest() -> dict[str, Release]:
    """Return the newest release of each package that was looked up; nothing if there is no list."""
    return {row["package"]: Release(**row) for row in rows(FILE)} if FILE.exists() else {}


def newer(loaded: Mapping[str, str | None]) -> list[Release]:
    """Return the newest releases of these packages, as {package: version}, that are newer than what was loaded."""
    known = newest()
    return [known[name] for name, version in sorted(loaded.items())
            if name in known and version and numbers(known[name].version) > numbers(version)]  # fmt: skip


def numbers(version: str) -> tuple[int, ...]:
    """Return a version's numbers, to compare them: (2, 13) of "2.13.0+cpu"."""
    found = NUMBERS.match(version)
    parts = [int(part) for part in found[0].split(".")] if found else []
    while parts and not parts[-1]:
        parts.pop()
    return tuple(parts)


def year_of(month: str) -> float:
    """Return the middle of a month, given as "2017-11", in years."""
    year, number = map(int, month.split("-"))
    return year + (number - 0.5) / 12


def released() -> dict[str, str]:
    """Return the month in which each environment's version came out, where its folder states it."""
    return {each.name: each.released for each in registry.environments().values() if each.released}


def of_recent_years() -> set[str]:
    """Return the default environments, and the first of each further framework that is not years older than these."""
    known, months = registry.environments(), released()
    newest = max((year_of(months[name]) for name, own in known.items() if own.is_default and name in months), default=0)
    return {name for name in registry.usual()
            if known[name].is_default or (name in months and newest - year_of(months[name]) < YEARS)}  # fmt: skip
