"""Scaling efficiency: the share of a perfect speed-up that several devices reach, from the rounds of ablations.

Strong scaling splits one device's batch: t1 / (n tn), within rounds. Weak scaling gives each of n devices such a batch:
t1 / tn, over two questions.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from analysis.estimate import aggregate, contrasts
from analysis.estimate.cells import Cell
from analysis.estimate.contrasts import Place
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.pairs import between
from analysis.load.table import Results
from analysis.stats.interval import Interval
from bench import ablations


class Scaling(NamedTuple):
    """How well a competitor on several devices scales."""

    question: Question  # of the several devices
    cell: Cell
    devices: int
    kind: str  # strong or weak
    efficiency: Interval


def scalings(results: Results, answers: Sequence[Estimates]) -> Iterator[Scaling]:
    """Yield the efficiencies of all competitors on several devices that have one device to compare with."""
    for answer in answers:
        for cell in answer.measured:
            devices = ablations.devices(cell.row[1])
            if devices > 1:
                yield from _of(results, answers, answer, cell, devices)


def _of(
    results: Results, answers: Sequence[Estimates], answer: Estimates, cell: Cell, devices: int
) -> Iterator[Scaling]:
    question, alone = answer.question, (cell.row[0], ablations.split(cell.row[1])[0])
    if pair := between(answer.pairs, cell.row, alone):
        yield Scaling(question, cell, devices, "strong", pair.ratio.scaled(1 / devices))
    size, rest = divmod(question.batch_size, devices)
    smaller = next((each for each in answers if not rest and each.question == question._replace(batch_size=size)), None)
    one = next((each for each in smaller.measured if each.row == alone), None) if smaller else None
    if smaller and one:
        times, others = (Place(*each).times(results) for each in ((smaller, one), (answer, cell)))
        campaign_of = aggregate.campaign_of(results.runs)
        if times.keys() & others.keys():
            ratio = contrasts.of_shared_rounds(times, others, campaign_of, None)
        else:
            ratio = contrasts.of_separate_rounds(
                times, others, campaign_of, [each.shared.times for each in (smaller, answer)]
            )
        yield Scaling(question, cell, devices, "weak", ratio.interval)
