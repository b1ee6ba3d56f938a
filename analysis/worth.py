"""What another round of a question is worth, while a campaign runs.

Works on plain records, with NumPy and SciPy, so that a campaign need not start pandas between two rounds.
"""

import math
from collections.abc import Iterable
from itertools import combinations
from typing import Any

from analysis import interval
from analysis.interval import EQUIVALENT, FASTER, Interval
from bench import records
from bench.cases import Case

Record = dict[str, Any]


def narrowing(runs: Iterable[Record], half_width: float) -> float:
    """Return by how much one round more is expected to narrow the intervals of a question's open pairs, in all.

    `runs` are those of one question, each of a competitor and a round; a pair is open while it is neither told apart
    nor equivalent, and its ratio's interval is wider than `half_width` (0.01 is 1 %). Half-widths shrink about as the
    root of the number of rounds grows.
    """
    times: dict[str, dict[int, float]] = {}
    for run in runs:
        if (time_s := records.time_s(run)) is not None:
            times.setdefault(Case(**run["case"]).id, {})[run["round"]] = time_s
    shared = (interval.paired(times[b], times[a]) for a, b in combinations(sorted(times), 2))
    return sum(_narrowing(interval.mean(ratios), half_width) for ratios in shared if ratios)


def _narrowing(ratio: Interval, half_width: float) -> float:
    found = ratio.half_width
    if found is None:
        return 1.0 / max(ratio.rounds, 1)  # below MIN_ROUNDS nothing is known, and more than a bit is gained
    return found * (1 - math.sqrt(ratio.rounds / (ratio.rounds + 1))) if _is_open(ratio, half_width) else 0.0


def _is_open(ratio: Interval, half_width: float) -> bool:
    low, high = ratio.bounds
    is_clear = low > FASTER or high < 1 / FASTER
    is_equal = low >= 1 / EQUIVALENT and high <= EQUIVALENT
    return not (is_clear or is_equal) and (ratio.half_width or math.inf) > half_width
