"""Does a pair's interval, and what is claimed from it, stand without Student's t? Beside it the bootstrap-t says."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from analysis import interval, kept
from analysis.bootstrap import Blocks, Round, bootstrap_t
from analysis.estimates import Estimates, Pair, Row, is_missing
from analysis.interval import Interval
from analysis.table import Results, answering

APART = 1.0  # of the paired interval's half-width: what two bounds may lie apart


class Check(NamedTuple):
    """A pair's ratio by resampling, and where it contradicts the paired interval."""

    resampled: Interval
    disagreement: str | None


def checks(results: Results, answers: Sequence[Estimates], pairs: Sequence[Pair]) -> list[Check]:
    """Check pairs on the runs of one answer, or of those that a geometric mean is over."""
    asked = [each.question.key for each in answers]
    inputs = [*results.came_from(asked), *(name for pair in pairs for row in (pair.a, pair.b) for name in row)]
    resampled = kept.recall(
        "resampled", inputs, lambda: _resampled([answering(results.runs, *each) for each in asked], pairs)
    )
    return [
        Check(Interval(*each), _disagreement(pair, Interval(*each)))
        for pair, each in zip(pairs, resampled, strict=True)
    ]


def _resampled(questions: Sequence[pd.DataFrame], pairs: Sequence[Pair]) -> list[Interval]:
    return [bootstrap_t(shared_rounds(questions, pair)) for pair in pairs]


def check(questions: Sequence[pd.DataFrame], pair: Pair) -> Check:
    """Check a pair on the runs of its question, or of several questions that a geometric mean is over."""
    resampled = bootstrap_t(shared_rounds(questions, pair))
    return Check(resampled, _disagreement(pair, resampled))


def shared_rounds(questions: Sequence[pd.DataFrame], pair: Pair) -> list[Round]:
    """Return the blocks of each round in which both competitors have a time in every question: b's, then a's."""
    blocks = [(_blocks(runs, pair.b), _blocks(runs, pair.a)) for runs in questions]
    common = set.intersection(*(set(each) for both in blocks for each in both))
    return [[(b[key], a[key]) for b, a in blocks] for key in sorted(common)]


def _blocks(runs: pd.DataFrame, row: Row) -> dict[tuple[str, int], Blocks]:
    """Return what counts of a competitor's runs by campaign and round."""
    columns = ("environment", "mode", "campaign", "round", "step_s", "counted_s")
    return {
        (str(campaign), int(number)): counted_s
        for *its_row, campaign, number, step_s, counted_s in zip(
            *(runs[name].tolist() for name in columns), strict=True
        )
        if tuple(its_row) == row and not is_missing(step_s)
    }


def _disagreement(pair: Pair, resampled: Interval) -> str | None:
    if resampled.low is None or pair.ratio.low is None:
        return None
    claim = interval.claim(resampled, pair.p)
    if claim != pair.claim:
        return f"by resampling: {claim}"
    half = math.log(pair.ratio.bounds[1] / pair.ratio.value)
    apart = max(abs(math.log(one / other)) for one, other in zip(resampled.bounds, pair.ratio.bounds, strict=True))
    return "by resampling: bounds elsewhere" if apart > APART * half else None
