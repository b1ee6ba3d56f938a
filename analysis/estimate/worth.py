"""What another round of a question is worth, while a campaign runs.

Works on plain records, with NumPy and SciPy, so that a campaign need not start pandas between two rounds. What is open
is judged as it is when the campaign is concluded from, by its own rounds alone.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from analysis.stats import Row, interval, shared_variance
from analysis.stats.shared_variance import Moments
from bench import records
from bench.cases import Case

Record = dict[str, Any]
Round = tuple[int, int]  # of its question, and which group of it: only what was alive at once is compared


def narrowing(runs: Iterable[Record], half_width: float) -> dict[str, float]:
    """Return by how much one round more is expected to narrow the intervals of each question's open pairs, in all.

    `runs` are those of one campaign that stand. A pair is open while it is neither told apart nor equivalent, and its
    ratio's interval is wider than `half_width` (0.01 is 1 %). Half-widths shrink about as the root of the number of
    rounds grows.
    """
    times, in_turns = _times(runs)
    known = {question: shared_variance.moments(_numbered(own), {}, in_turns) for question, own in times.items()}
    shared = shared_variance.fit(list(known.values()))
    return {  # of a pair that was never alive at once nothing is known either
        question: sum(_open(each, shared, half_width)) + math.comb(len(times[question]), 2) - len(each.rounds)
        for question, each in known.items()
    }


def _open(each: Moments, shared: shared_variance.Shared, half_width: float) -> Iterator[float]:
    """Yield the narrowing of each open pair of a question."""
    ratios, alone = interval.of_moments(each.centre, *shared_variance.errors(each, shared), each.rounds)
    for ratio, p in zip(ratios, interval.holm(alone), strict=True):
        found = ratio.half_width
        if found is None:
            yield 1.0  # nothing is known of it
        elif interval.claim(ratio, p) == "unresolved" and found > half_width:
            yield found * (1 - (ratio.rounds / (ratio.rounds + 1)) ** 0.5)


def _times(runs: Iterable[Record]) -> tuple[dict[str, dict[Row, dict[Round, float]]], dict[Row, bool]]:
    """Return {question: {competitor: {round: seconds}}}, a competitor named by its case, and who was in turns."""
    times: dict[str, dict[Row, dict[Round, float]]] = defaultdict(lambda: defaultdict(dict))
    in_turns: dict[Row, bool] = {}
    for run in runs:
        if (time_s := records.time_s(run)) is not None:
            case = Case(**run["case"])
            row = (case.id, "")
            times[case.question][row][run["round"], run.get("group", 0)] = time_s
            in_turns[row] = records.took_turns(run)
    return times, in_turns


def _numbered(times: dict[Row, dict[Round, float]]) -> dict[Row, dict[int, float]]:
    rounds = sorted({each for own in times.values() for each in own})
    numbers = {each: number for number, each in enumerate(rounds)}
    return {row: {numbers[each]: time_s for each, time_s in times[row].items()} for row in sorted(times)}
