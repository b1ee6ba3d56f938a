"""Framework overhead fades as the batch grows: the spread between environments at the smallest batch over the largest.

Arithmetic grows with the batch, a framework's overhead does not. The spread is the slowest time per step over the
fastest, among default modes, within each round.
"""

from collections.abc import Iterator, Mapping, Sequence

from analysis import units
from analysis.estimate import aggregate, contrasts
from analysis.estimate.contrasts import Place
from analysis.estimate.estimates import Estimates
from analysis.groups import grouped
from analysis.lessons.claim_test import Effect
from analysis.literature import Claim
from analysis.load.table import Results
from bench.cases import STEPS

ORDER = 2
CLAIM = "overhead-fades"


def effects(_: Claim, results: Results, answers: Sequence[Estimates]) -> list[Effect]:
    """Return, for each network that was asked at two batch sizes, the ratio of the spreads."""
    steps = [answer for answer in answers if answer.question.task in STEPS]
    networks = grouped(steps, lambda answer: answer.question._replace(batch_size=0))
    return [effect for network in networks.values() for effect in _fading(results, network)]


def _fading(results: Results, answers: Sequence[Estimates]) -> Iterator[Effect]:
    ordered = sorted(answers, key=lambda each: each.question.batch_size)
    small, large = ({cell.row: Place(answer, cell).times(results) for cell in answer.measured if cell.is_default}
                    for answer in (ordered[0], ordered[-1]))  # fmt: skip
    shared = sorted(small.keys() & large.keys())
    spreads = [_spread([times[row] for row in shared]) for times in (small, large)]
    if len(ordered) > 1 and len(shared) > 1 and set(spreads[0]) & set(spreads[1]):
        sides = [f"spread at batch size {each.question.batch_size}" for each in (ordered[0], ordered[-1])]
        named = units.count(len(shared), "environment")
        estimate = contrasts.of_shared_rounds(spreads[0], spreads[1], aggregate.campaign_of(results.runs), None)
        yield Effect(ordered[0].question, (sides[0], sides[1]), (named, named), *estimate)


def _spread(times: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Return the slowest time over the fastest, of the rounds in which each of these competitors has one."""
    shared = set.intersection(*map(set, times)) if times else set()
    rounds = {number: [by_round[number] for by_round in times] for number in shared}
    return {number: max(seconds) / min(seconds) for number, seconds in rounds.items()}
