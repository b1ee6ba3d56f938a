"""The times of two names for one program, as the control `spread` measures them, and how far they lie apart."""

from collections.abc import Sequence

import numpy as np

from bench.results import records, void_rules
from bench.results.lines import Line

NAMES = ("a", "b")  # of each environment's program


def times(lines: Sequence[Line]) -> dict[str, dict[int, tuple[float, float]]]:
    """Return {environment: {round: seconds per step of both its names}}; without those of which a run has no time.

    If memory did not hold all names at once, names that were not alive together are not paired.
    """
    found: dict[tuple[str, int, int], dict[str, float]] = {}
    lost: set[str] = set()
    for run in void_rules.standing(lines):
        name, _, twin = run.case.environment.rpartition("-")
        step_s = records.time_s(run)
        if not step_s:
            lost.add(name)
        elif twin in NAMES and records.took_turns(run):
            found.setdefault((name, run.round, run.group or 0), {})[twin] = step_s
    pairs: dict[str, dict[int, tuple[float, float]]] = {}
    for (name, round_, _), own in sorted(found.items()):
        if len(own) == len(NAMES) and name not in lost:
            pairs.setdefault(name, {})[round_] = (own[NAMES[0]], own[NAMES[1]])
    return pairs


def spreads(lines: Sequence[Line]) -> dict[str, float]:
    """Return {environment: standard deviation between rounds of its names' log ratio}, the smallest first."""
    logs = {name: [np.log(a / b) for a, b in own.values()] for name, own in times(lines).items() if len(own) > 1}
    found = {name: float(np.std(own, ddof=1)) for name, own in logs.items()}
    return dict(sorted(found.items(), key=lambda item: (item[1], item[0])))
