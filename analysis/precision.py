"""How precise a running campaign is already: the half-widths that its stopping rule looks at.

Works on plain records, with NumPy and SciPy, so that a campaign need not start pandas between two rounds.
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import combinations
from typing import Any

from analysis import interval
from bench import records
from bench.campaign import standing
from bench.cases import Case

Record = dict[str, Any]
Times = dict[str, dict[str, dict[int, float]]]  # question -> case -> round -> seconds per step


def half_widths(lines: Iterable[Record]) -> dict[tuple[str, str], float]:
    """Return {(case, case): relative 99 % half-width of their ratio} for each pair of a question with three rounds.

    `lines` are those of one campaign; the last of a case and round counts, and none of a void round.
    """
    pairs = [pair for cases in _times(lines).values() for pair in combinations(sorted(cases.items()), 2)]
    ratios = {(a, b): interval.mean(shared) for (a, x), (b, y) in pairs if (shared := interval.paired(y, x))}
    return {pair: ratio.half_width for pair, ratio in ratios.items() if ratio.half_width is not None}


def widest(lines: Iterable[Record]) -> float | None:
    """Return the largest of the half-widths (0.01 is 1 %), or None while no pair has three rounds."""
    return max(half_widths(lines).values(), default=None)


def _times(lines: Iterable[Record]) -> Times:
    times: Times = defaultdict(lambda: defaultdict(dict))
    for line in standing(list(lines)):
        case = Case(**line["case"])
        times[case.question][case.id].pop(line["round"], None)
        if (time_s := records.time_s(line)) is not None:
            times[case.question][case.id][line["round"]] = time_s
    return times
