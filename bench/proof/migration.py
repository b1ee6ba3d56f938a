"""Which hashes of version 1 mean the code that a hash of version 2 means: a generated table says it.

An answer or a run that names a hash of version 1 counts where the table maps that to the hash that the code has now. In
the revision that it names, both versions were computed of the same files; `nox -s check-results` recomputes it.
"""

import csv
import functools
import os
from typing import Any, Dict, FrozenSet, List, NamedTuple

from bench import registry

TABLE = os.path.join(registry.HERE, "proof", "proof_versions.csv")


class Row(NamedTuple):
    """Both versions of the hashes of one program, with the versions that its framework loaded."""

    revision: str
    environment: str
    workload: str
    mode: str  # where an ablation changes one thing of it, else empty
    loaded: str  # "keras 3.15.0, torch 2.13.0"
    problem_1: str
    problem_2: str
    proof_1: str
    proof_2: str


def rows(path: str = TABLE) -> List[Row]:
    """Return the table's rows; none where there is no table."""
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


def write(found: List[Row], path: str = TABLE) -> None:
    """Write the table, in the order of its columns."""
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(Row._fields)
        writer.writerows(sorted(found))


@functools.lru_cache(maxsize=None)
def _newer(path: str) -> Dict[str, FrozenSet[str]]:
    found: Dict[str, Any] = {}
    for row in rows(path):
        found.setdefault(row.problem_1, set()).add(row.problem_2)
        found.setdefault(row.proof_1, set()).add(row.proof_2)
    return {key: frozenset(values) for key, values in found.items()}


@functools.lru_cache(maxsize=None)
def _older(path: str) -> Dict[str, str]:
    return {newer: older for older, found in sorted(_newer(path).items()) for newer in found}


def known_as(given: Any) -> Any:
    """Return the hash of version 1 that results name the same code by, or the given hash where there is none."""
    return _older(TABLE).get(given, given)


def same(one: Any, other: Any) -> bool:
    """Say whether two hashes, each of version 1 or 2, are of the same code."""
    newer = _newer(TABLE)
    return bool(one == other or other in newer.get(one, ()) or one in newer.get(other, ()))
