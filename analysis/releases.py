"""The newest releases of the packages that environments pin, as `nox -s outdated` last looked them up.

A build of the site needs no network: it reads analysis/published/releases.csv. Standard library only.
"""

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple

from analysis.literature import FOLDER, rows

FILE = FOLDER / "releases.csv"
NUMBERS = re.compile(r"\d+(?:\.\d+)*")  # of a version, without what follows them, as "+cpu"


class Release(NamedTuple):
    """The newest release of a package, and the day on which it was looked up, as "2026-11-28"."""

    package: str
    version: str
    looked_up: str
    held_back: str = ""  # why it does not install on the first Python of the default rows, as "needs Python 3.12"


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
