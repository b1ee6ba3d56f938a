"""What compiling is worth grows with the network: the gain at each network over the gain at a simpler one."""

import itertools
import math
from collections.abc import Sequence

from analysis import units
from analysis.estimate.estimates import Estimates
from analysis.lessons import contrast
from analysis.lessons.contrast import Effect
from analysis.literature import Claim
from analysis.load.table import Results
from analysis.stats import interval

ORDER = 5
CLAIM = "gap-grows-with-complexity"


def effects(claim: Claim, results: Results, answers: Sequence[Estimates]) -> list[Effect]:
    """Return, for each environment and two of the claim's networks, named from the simplest on, the ratio of gains."""
    networks = contrast.read(claim.where)["workload"]
    gains: dict[tuple[object, ...], dict[str, Effect]] = {}
    for each in contrast.effects(claim, results, answers):
        key = each.question.machine, each.environments, each.sides, each.question.task, each.question.threads
        gains.setdefault(key, {})[each.question.workload] = each
    return [_over(own[simple], own[rich]) for own in gains.values()
            for simple, rich in itertools.combinations([name for name in networks if name in own], 2)]  # fmt: skip


def _over(simple: Effect, rich: Effect) -> Effect:
    """Return the gain at the richer network over that at the simpler: means that share no round."""
    centre = math.log(rich.ratio.value / simple.ratio.value)
    errors = [each.error for each in (simple, rich) if each.error is not None]
    rounds, freedom = min(simple.ratio.rounds, rich.ratio.rounds), min(simple.freedom, rich.freedom)
    error = math.hypot(*errors) if len(errors) == 2 else None
    ratio = interval.of_error(centre, error, freedom, rounds)
    titles = tuple(units.workload_title(each.question.workload) for each in (rich, simple))
    return rich._replace(sides=(f"gain at {titles[0]}", f"at {titles[1]}"), ratio=ratio, error=error, freedom=freedom)
