"""Which hash of version 1 means the same code as a hash of version 2: a table says it.

A hash of version 1 in an answer or a run is valid if the table maps it to the present hash of the code. The
code of the revision that the table names computed both versions from the same files; no later code computes version 1.
`nox -s check-results` recomputes the table in that revision.
"""

import csv
import functools
import os
from typing import Any, Dict, List, NamedTuple

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


def rows() -> List[Row]:
    """Return the table's rows."""
    with open(TABLE, encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


@functools.lru_cache(maxsize=None)
def _older() -> Dict[str, str]:
    """Return {hash of version 2: the hash of version 1}."""
    return dict(pair for row in rows() for pair in ((row.problem_2, row.problem_1), (row.proof_2, row.proof_1)))


def known_as(given: Any) -> Any:
    """Return the hash of version 1 that results name the same code by, or the given hash if the table has none."""
    return _older().get(given, given)


def same(one: Any, other: Any) -> bool:
    """Say whether two hashes, each of version 1 or 2, are of the same code."""
    return bool(known_as(one) == known_as(other))
