"""What a framework's own training loop costs: the time of an epoch by `fit` over that by the loop written by hand."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

from analysis.estimate import aggregate, drift, measures
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question
from analysis.load.table import Results
from analysis.stats.interval import Interval


class LoopContrast(NamedTuple):
    """One environment that trained both ways on one question; the ratio is fit / hand-written."""

    question: Question  # of the hand-written loop
    fit: Cell
    by_hand: Cell
    ratio: Interval

    @property
    def modes(self) -> str:
        """Of both ways: one where a mode does both."""
        return " / ".join(dict.fromkeys([self.fit.row[1], self.by_hand.row[1]]))


def contrasts(results: Results, answers: Sequence[Estimates]) -> Iterator[LoopContrast]:
    """Yield each environment whose two ways share rounds; those of two campaigns never do."""
    hand_written = {each.question: each for each in answers if each.question.task == "epochs"}
    for own in answers:
        other = hand_written.get(own.question._replace(task="epochs")) if own.question.task == "fit" else None
        if other is None:
            continue
        for fit, by_hand in filter(_are_one, product(own.measured, other.measured)):
            sides = (own.question, fit.row), (other.question, by_hand.row)
            times = [aggregate.by_round(results.runs, *side, measures.step_s) for side in sides]
            if set(times[0]) & set(times[1]):
                ratio = drift.of_shared_rounds(times[0], times[1], aggregate.campaign_of(results.runs), None)
                yield LoopContrast(other.question, fit, by_hand, ratio.interval)


def _are_one(both: tuple[Cell, Cell]) -> bool:
    """Say whether a mode does both, or each way is in the mode that its environment documents for it."""
    fit, by_hand = both
    are_defaults = fit.is_default and by_hand.is_default
    return fit.row == by_hand.row or (are_defaults and fit.row[0] == by_hand.row[0])
