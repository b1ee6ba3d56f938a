"""Estimate how much another round of a question would narrow its open intervals, while a campaign runs.

The estimate distributes measuring time and supports no claim; the analysis makes claims when all rounds are complete.
Student's t intervals of the logarithms of ratios within rounds are therefore enough.
"""

import itertools
import math
import statistics
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from bench.results import records
from bench.results.lines import Epochs, Run

# logarithm of a competitor's seconds by (round, group), since only a group's runs were alive at once
Logs = dict[tuple[int, int], float]

FEWEST = 3  # rounds; fewer say nothing about a pair
# limits of claims: beyond the first is different, wholly within the second is equivalent
DIFFERENT, SAME = math.log(1.01), math.log(1.02)
CLEAR = 2.0  # half-widths from DIFFERENT at which a pair stays different after adjustment for multiple comparisons
QUANTILES = (  # 99.5 % quantiles of Student's t with 1, 2, ... degrees of freedom; the last holds for all more
    63.66, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169, 3.106, 3.055, 3.012, 2.977, 2.947, 2.921,
    2.898, 2.878, 2.861, 2.845, 2.831, 2.819, 2.807, 2.797, 2.787, 2.779, 2.771, 2.763, 2.756, 2.750, 2.6,
)  # fmt: skip


def narrowing(runs: Iterable[Run | Epochs], half_width: float) -> dict[str, float]:
    """Return {question: expected narrowing of the intervals of its open pairs by one more round, in all}.

    `runs` are the runs of one campaign that count. A pair is open while it is neither different nor equivalent, and its
    ratio's 99 % interval is wider than `half_width` (0.01 is 1 %).
    """
    logs: dict[str, dict[str, Logs]] = defaultdict(lambda: defaultdict(dict))
    for run in runs:
        time_s = records.time_s(run)
        if time_s is not None:
            logs[run.case.question][run.case.id][run.round, run.group or 0] = math.log(time_s)
    return {question: sum(_open(list(by_case.values()), half_width)) for question, by_case in logs.items()}


def _open(competitors: Sequence[Logs], half_width: float) -> Iterator[float]:
    """Yield the expected narrowing of each open pair; half-widths shrink with the root of the number of rounds."""
    pairs = [[a[key] - b[key] for key in a if key in b] for a, b in itertools.combinations(competitors, 2)]
    variances = [statistics.variance(ratios) for ratios in pairs if len(ratios) >= FEWEST]
    for ratios in pairs:
        count = len(ratios)
        if count < FEWEST:
            yield 1.0  # nothing is known of the pair
            continue
        # its own variance, and the usual one of the question
        both = (statistics.variance(ratios) + sum(variances) / len(variances)) / 2
        half = QUANTILES[min(2 * (count - 1), len(QUANTILES)) - 1] * math.sqrt(both / count)
        off = abs(sum(ratios) / count)
        if half > half_width and off - DIFFERENT < CLEAR * half and off + half > SAME:
            yield half * (1 - math.sqrt(count / (count + 1.0)))
