"""How precise a running campaign is already: the half-widths that its stopping rule looks at.

Works on plain records, with NumPy and SciPy, so that a campaign need not start pandas between two rounds.
"""

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from analysis import interval, shared_variance
from analysis.outcomes import Row
from analysis.shared_variance import Moments
from bench import records
from bench.campaign import standing
from bench.cases import Case

Record = dict[str, Any]
Round = tuple[int, int]  # of its question, and which group of it: only what was alive at once is compared


def half_widths(lines: Iterable[Record]) -> dict[tuple[str, str], float]:
    """Return {(case, case): relative 99 % half-width of their ratio} for each pair of a question with three rounds.

    `lines` are those of one campaign; the last of a case and round counts, and none of a void round. Variances are
    shared between the pairs of the campaign that were measured in turns, as they are when it is concluded from.
    """
    known = _moments(lines)
    shared = shared_variance.fit(known)
    found = {}
    for each in known:
        ratios, _ = interval.of_moments(each.centre, *shared_variance.errors(each, shared), each.rounds)
        for (a, b), ratio in zip(each.pairs, ratios, strict=True):
            if ratio.half_width is not None:
                found[a[0], b[0]] = ratio.half_width
    return found


def widest(lines: Iterable[Record]) -> float | None:
    """Return the largest of the half-widths (0.01 is 1 %), or None while no pair has three rounds."""
    return max(half_widths(lines).values(), default=None)


def _moments(lines: Iterable[Record]) -> list[Moments]:
    """Return the moments of each question's pairs; a competitor is named by its case."""
    times: dict[str, dict[Row, dict[Round, float]]] = defaultdict(lambda: defaultdict(dict))
    in_turns: dict[Row, bool] = {}
    for line in standing(list(lines)):
        case = Case(**line["case"])
        row, number = (case.id, ""), (line["round"], line.get("group", 0))
        times[case.question][row].pop(number, None)
        if (time_s := records.time_s(line)) is not None:
            times[case.question][row][number] = time_s
            in_turns[row] = records.took_turns(line)
    return [shared_variance.moments(_numbered(own), {}, in_turns) for own in times.values()]


def _numbered(times: dict[Row, dict[Round, float]]) -> dict[Row, dict[int, float]]:
    rounds = sorted({each for own in times.values() for each in own})
    numbers = {each: number for number, each in enumerate(rounds)}
    return {row: {numbers[each]: time_s for each, time_s in times[row].items()} for row in sorted(times)}
