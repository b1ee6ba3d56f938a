"""What compiling is worth grows with the network: the gain at each network over the gain at a simpler one.

Only gains clearly above 1 are compared: where compiling makes a step slower, no gain exists that could grow. XLA on a
CPU takes 170 ms for a step of bn_mlp. Dropout's random numbers take more than nine tenths of it (`dropout` in
bench/frameworks/tensorflow/framework.toml, and tests/environments/test_dropout.py).
"""

import itertools
import math
from collections.abc import Sequence

from analysis import units
from analysis.estimate.estimates import Estimates
from analysis.groups import grouped
from analysis.lessons import claim_test
from analysis.lessons.claim_test import Effect
from analysis.literature import Claim
from analysis.load.table import Results
from analysis.stats import interval

ORDER = 5
CLAIM = "gap-grows-with-complexity"


def effects(claim: Claim, results: Results, answers: Sequence[Estimates]) -> list[Effect]:
    """Return the ratio of gains for each environment, two modes and two networks, named from the simplest on."""
    networks = claim_test.read(claim.where)["workload"]
    clear = [each for each in claim_test.effects(claim, results, answers) if (each.ratio.low or 0.0) > 1]
    gains = grouped(clear, lambda each: (each.question.machine, each.environments, each.sides, each.question.task,
                                         each.question.threads))  # fmt: skip
    by_network = ({each.question.workload: each for each in own} for own in gains.values())
    return [_over(own[simple], own[rich]) for own in by_network
            for simple, rich in itertools.combinations([name for name in networks if name in own], 2)]  # fmt: skip


def _over(simple: Effect, rich: Effect) -> Effect:
    """Return the gain at the richer network over that at the simpler: means that share no round."""
    centre = math.log(rich.ratio.value / simple.ratio.value)
    errors = [each.error for each in (simple, rich) if each.error is not None]
    rounds, freedom = min(simple.ratio.rounds, rich.ratio.rounds), min(simple.freedom, rich.freedom)
    error = math.hypot(*errors) if len(errors) == 2 else None
    ratio = interval.of_error(centre, error, freedom, rounds)
    modes = f"gain of {rich.sides[1]} over {rich.sides[0]}"
    titles = tuple(units.workload_title(each.question.workload) for each in (rich, simple))
    sides = f"{modes} at {titles[0]}", f"at {titles[1]}"
    return rich._replace(sides=sides, ratio=ratio, error=error, freedom=freedom)
