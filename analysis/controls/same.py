"""One environment under two names shows no difference

Passes when at most 5 of 200 replayed comparisons (2.5 %) have a 99 % interval that excludes 1. No claim may be made in
20 real comparisons of 20 rounds.

Five names stand for the same program and take part in the same rounds. Each of their pairs is compared in the first
half of the rounds and in the second. Then thousands of comparisons of ten rounds are replayed from all of them: rounds,
and the names in each, drawn anew. Void rounds are repeated, as in every campaign. The usual method is shown for
comparison: Welch's test on one run of each. It tests the mean time of a step in each block, at the usual level of 5 %
and at the 1 % of our own intervals.
"""

from collections.abc import Mapping
from itertools import combinations

import numpy as np
import pandas as pd
from scipy import stats

from analysis import controls
from analysis.controls import Control, evidence, planted
from analysis.estimate.pairs import Pair, compare
from analysis.stats import interval, replay
from bench.results import records
from bench.results.lines import Line, Run

ORDER = 1
MEASURED = "planted"
REPLAYS = 2000
MOST_EXCLUDED = 5 / 200
REAL = 20
LEAST_ROUNDS = 20
NAIVE = 0.05  # the usual level of the usual test


def judge(lines: list[Line]) -> Control:
    """Compare the twins: really, replayed, and by the usual test."""
    twins = twins_of(lines)
    pairs = real(twins)
    if not pairs:
        return Control(None, "Too few rounds for two halves with an interval each.")
    claims = sum(pair.claim == "faster" for pair in pairs)
    replayed = replay.among(replay.prepare(controls.times(twins)), REPLAYS)
    excluded = float(replayed.excludes(0.0).mean())
    p_values = np.array(naive(twins))
    rounds = len({number for runs in twins.values() for number in runs})
    passes = excluded <= MOST_EXCLUDED and claims == 0
    finding = (
        f"Of {REPLAYS:,} replayed comparisons {controls.percent(excluded)} have an interval that excludes 1, and of "
        f"{len(pairs)} real ones {claims} lead to a claim. Welch's test on the blocks of two runs would have called "
        f"{controls.percent(float((p_values < NAIVE).mean()))} of {len(p_values)} pairs different."
    )
    if len(pairs) < REAL or rounds < LEAST_ROUNDS:
        few = f"Fewer than {REAL} real comparisons, or than {LEAST_ROUNDS} rounds, do not decide it."
        return Control(None if passes else False, f"{finding} {few}")
    return Control(passes, finding, _table(rounds, pairs, replayed, p_values))


def twins_of(lines: list[Line]) -> Mapping[str, Mapping[int, Run]]:
    """Return the runs of the competitors in which nothing was planted, by round."""
    key = planted.key(lines)
    return {name: runs for name, runs in controls.timed(lines).items() if key[name].percent == 0}


def real(twins: Mapping[str, Mapping[int, Run]]) -> list[Pair]:
    """Compare all pairs in each half of the rounds, adjusted over the pairs as in any question.

    A pair without an interval, as after a failed run, is not compared.
    """
    times = controls.times(twins)
    middle = max((number for rounds in twins.values() for number in rounds), default=0) // 2
    halves = [{(name, ""): {number: time_s for number, time_s in rounds.items() if (number > middle) == is_second}
               for name, rounds in times.items()} for is_second in (False, True)]  # fmt: skip
    return [pair for half in halves for pair in compare(half) if pair.ratio.low is not None]


def naive(twins: Mapping[str, Mapping[int, Run]]) -> list[float]:
    """Return, for each two runs of a round, the p-value of Welch's test on the times of their blocks."""
    return [
        float(stats.ttest_ind(*(records.counted_s(runs[number]) for runs in (a, b)), equal_var=False).pvalue)
        for a, b in combinations(twins.values(), 2)
        for number in sorted(set(a) & set(b))
    ]


def _table(rounds: int, pairs: list[Pair], replayed: replay.Comparisons, p_values: np.ndarray) -> pd.DataFrame:
    widest = max(pair.ratio.half_width or 0.0 for pair in pairs)
    equivalent = sum(pair.claim == "equivalent" for pair in pairs)
    excluding = sum(pair.ratio.bounds[0] > 1 or pair.ratio.bounds[1] < 1 for pair in pairs)
    rows = [
        ("rounds", str(rounds)),
        ("real comparisons, half of the rounds each", str(len(pairs))),
        ("of them with a claim", str(sum(pair.claim == "faster" for pair in pairs))),
        ("with an interval that excludes 1", str(excluding)),
        ("called equivalent", str(equivalent)),
        ("widest interval", f"±{controls.percent(widest)}"),
        ("replayed comparisons of ten rounds", f"{REPLAYS:,}"),
        ("with an interval that excludes 1", controls.percent(float(replayed.excludes(0.0).mean()))),
        ("with a claim", controls.percent(float(replayed.claims.mean()))),
        ("called equivalent", controls.percent(float(replayed.equivalences.mean()))),
        *((f"pairs of runs that Welch's test calls different at {controls.percent(level)}",
           f"{int((p_values < level).sum())} of {len(p_values)}") for level in (NAIVE, 1 - interval.CONFIDENCE)),
    ]  # fmt: skip
    return evidence(rows, "what", "how many")
