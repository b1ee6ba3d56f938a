"""What another round of a question is worth while a campaign runs: by how much it narrows what is still open.

This decides where time goes, and nothing about a claim: that is the analysis' business, once all rounds are known. So
Student's intervals will do, of the logarithms of ratios within rounds.
"""

import itertools
import math
from collections import defaultdict
from typing import Any, Dict, Iterable, Iterator, Sequence, Tuple

from bench.cases import Case
from bench.results import records

Run = Dict[str, Any]
Logs = Dict[Tuple[int, int], float]  # of a competitor's seconds, by round and by group: only what was alive at once

FEWEST = 3  # rounds: of fewer, nothing is known of a pair
DIFFERENT, SAME = math.log(1.01), math.log(1.02)  # as claims have it: beyond the first, or wholly within the second
CLEAR = 2.0  # half-widths: so far from DIFFERENT, a pair stays told apart when it is adjusted for all others beside it
QUANTILES = (  # 99.5 % of Student's t, with 1, 2, ... degrees of freedom; beyond, the last
    63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921,
    2.898, 2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750, 2.6,
)  # fmt: skip


def narrowing(runs: Iterable[Run], half_width: float) -> Dict[str, float]:
    """Return by how much one round more is expected to narrow the intervals of each question's open pairs, in all.

    `runs` are those of one campaign that stand. A pair is open while it is neither told apart nor equivalent, and its
    ratio's 99 % interval is wider than `half_width` (0.01 is 1 %).
    """
    logs = defaultdict(lambda: defaultdict(dict))  # type: Dict[str, Dict[str, Logs]]
    for run in runs:
        time_s = records.time_s(run)
        if time_s is not None:
            case = Case(**run["case"])
            logs[case.question][case.id][run["round"], run.get("group", 0)] = math.log(time_s)
    return {question: sum(_open(list(own.values()), half_width)) for question, own in logs.items()}


def _open(competitors: Sequence[Logs], half_width: float) -> Iterator[float]:
    """Yield the narrowing of each open pair: half-widths shrink about as the root of the number of rounds grows."""
    pairs = [[own[key] - other[key] for key in own if key in other]
             for own, other in itertools.combinations(competitors, 2)]  # fmt: skip
    variances = [_variance(ratios) for ratios in pairs if len(ratios) >= FEWEST]
    for ratios in pairs:
        count = len(ratios)
        if count < FEWEST:
            yield 1.0  # nothing is known of it
            continue
        both = (_variance(ratios) + sum(variances) / len(variances)) / 2  # its own, and what is usual beside it
        half = QUANTILES[min(2 * (count - 1), len(QUANTILES)) - 1] * math.sqrt(both / count)
        off = abs(sum(ratios) / count)
        if half > half_width and off - DIFFERENT < CLEAR * half and off + half > SAME:
            yield half * (1 - math.sqrt(count / (count + 1.0)))


def _variance(values: Sequence[float]) -> float:
    mean = sum(values) / len(values)
    return sum((value - mean) ** 2 for value in values) / (len(values) - 1)
