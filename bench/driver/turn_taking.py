"""Let competitors that are alive at once take turns: one block each in random order."""

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

Competitor = TypeVar("Competitor", bound=Any)  # has `order`, a list of the position of each of its blocks


class Limits(NamedTuple):
    """How many turns there are, and how long they take at most if there are enough."""

    least_turns: int
    most_turns: int
    most_s: float
    is_patient: bool  # a competitor may wait for quiet cores as long as blocks were measured


def take_turns(
    alive: Sequence[Competitor],
    random: Any,
    limits: Limits,
    take: Callable[[Competitor, float], tuple[bool, float, float]],
) -> list[Competitor]:
    """Let all competitors take turns; return those that are still alive.

    `random` is a NumPy RandomState. `take(competitor, patience_s)` measures a block. It returns whether the competitor
    continues, the seconds that it waited for quiet cores, and the seconds that the block took.
    """
    going, begin, made, patience_s = list(alive), time.monotonic(), 0, 0.0
    while going and made < limits.most_turns and (
        made < limits.least_turns or time.monotonic() - begin < limits.most_s
    ):  # fmt: skip
        made, continuing = made + 1, []
        for place, index in enumerate(random.permutation(len(going))):
            goes_on, waited_s, took_s = take(going[index], patience_s)
            begin += waited_s
            patience_s += (took_s if limits.is_patient else 0.0) - waited_s
            if goes_on:
                going[index].order.append(place)
                continuing.append(going[index])
        going = [competitor for competitor in going if competitor in continuing]
    return going
