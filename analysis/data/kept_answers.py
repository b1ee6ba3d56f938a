"""Which other kept answers of parity each competitor's answer agrees with."""

from collections.abc import Mapping, Sequence
from typing import Any

from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates
from analysis.found import Found, once
from analysis.stats import Row
from bench import proof

OF_LATER, NOT_KEPT = "of later code", "not kept"

Kept = Mapping[Row, Sequence[Mapping[str, Any]]]  # competitor -> rows of bench.proof.matrix


def of(found: Found, answer: Estimates) -> Kept:
    """Return how each competitor's kept answer to a question compares with those of other environments."""
    return _by_problem(found).get((answer.question.workload, answer.question.optimizer), {})


@once
def _by_problem(found: Found) -> Mapping[tuple[str, str], Kept]:
    """Return, by workload and optimiser, how each competitor's kept answer compares with others'."""
    kept: dict[tuple[str, str], dict[Row, list[Mapping[str, Any]]]] = {}
    for row in found.matrix:
        if row["environment_a"] != row["environment_b"]:
            own = kept.setdefault((row["workload"], row["optimizer"]), {})
            own.setdefault((row["environment_a"], row["mode_a"]), []).append(row)
    return kept


def doubted(kept: Kept, cell: Cell) -> str | None:
    """Return why kept answers are not the proof of what was measured; None where they are.

    What was measured always had a proof: it is "of later code" if the answers that agree are those of the code as it
    is now, and "not kept" if no answer in that mode is kept.
    """
    if cell.row not in kept:
        return NOT_KEPT if cell.proofs else None
    answered = {row["proof_a"] for row in kept[cell.row]}
    return None if all(any(proof.same(own, each) for own in answered) for each in cell.proofs) else OF_LATER
