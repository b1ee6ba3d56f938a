"""Does a wait still wait, late in a run? Blocks of as many steps as were measured, and what they leave undone.

A wait that returns before the work is done leaves it to whatever is asked for next: fetching the weights then takes as
long as the work. One that gives a number which it kept gives that of other weights.
"""

import math
import time
from typing import Any, Dict, Iterator, NamedTuple

import numpy as np

from bench import measure
from bench.errors import ContractError
from bench.measure import Timings

LEAST, MOST = 2, 21  # blocks: of so many, two are the tenth after another
BLOCK_S = 0.05  # at least: what a busy machine adds to a fetch is less
CHEAP_S = 3 * MOST * BLOCK_S  # for which they go on even after a run that took less: on a busy machine, too
UNDONE = 0.5  # of a block's work may be left
PASSES = 3  # in each of which work must be left, for a wait that does not wait does so again
OTHER_WEIGHTS = 0.9
SMALL = 1e-3  # of the first loss: below, a network has learned its batch, and two losses may well be equal


class Span(NamedTuple):
    """Seconds that passed, and seconds of the processors for all threads."""

    wall_s: float
    cpu_s: float

    def less(self, other: "Span") -> "Span":
        """Return what is more than another."""
        return Span(max(0.0, self.wall_s - other.wall_s), max(0.0, self.cpu_s - other.cpu_s))


def check(program: Any, weights: Dict[str, np.ndarray], batch: Any, timings: Timings, device: str) -> None:
    """Raise ContractError for a program whose waits, after blocks as they were measured, do not wait.

    On a CPU, work takes processor time: where a fetch takes no more of it, another process had the processor.
    """
    left = []
    for _ in range(PASSES):
        shares = sorted(_shares(program, weights, batch, timings, device), reverse=True)
        enough = 1 if len(shares) < MOST else 2
        left.append(shares[enough - 1])
        if left[-1] <= UNDONE:
            return
    raise ContractError("late in the run, waits left up to %.0f %% of a block's work undone: does it stop waiting "
                        "after some steps?" % (100 * max(left)))  # fmt: skip


def _shares(program: Any, weights: Any, batch: Any, timings: Timings, device: str) -> Iterator[float]:
    """Yield the share of each block's work that was still to be done when its wait returned.

    Its weights are now the run's, now others: a loss that comes again is no step's.
    """
    usual, before = _fetch_of_what_is_done(program, batch, timings), None
    steps = max(timings.steps_per_block, math.ceil(BLOCK_S / _step_s(timings)))
    begin, made, allowed_s = time.perf_counter(), 0, max(sum(timings.block_s) / 2, CHEAP_S)
    while made < LEAST or (made < MOST and time.perf_counter() - begin <= allowed_s):
        scale = np.float32(OTHER_WEIGHTS if made % 2 else 1.0)
        program.load({name: value * scale for name, value in weights.items()})
        number, worked = _timed(lambda: measure.block(program, batch, steps)[2])
        _, fetched = _timed(program.weights)
        if number == before and abs(number) > SMALL * abs(timings.loss_first):
            raise ContractError("late in the run, a wait gave the number %s again, after other steps: does it stop "
                                "waiting after some steps?" % number)  # fmt: skip
        before, made = number, made + 1
        shares = [left / (work + left) if left else 0.0 for left, work in zip(fetched.less(usual), worked)]
        yield min(shares) if device == "cpu" else shares[0]


def _step_s(timings: Timings) -> float:
    return max(min(timings.block_s) / timings.steps_per_block, measure.SHORTEST_S)


def _timed(do: Any) -> Any:
    """Do something; return (what it gave, the time it took)."""
    wall_s, cpu_s = time.perf_counter(), time.process_time()
    given = do()
    return given, Span(time.perf_counter() - wall_s, time.process_time() - cpu_s)


def _fetch_of_what_is_done(program: Any, batch: Any, timings: Timings) -> Span:
    """Return the time of fetching weights when nothing is outstanding: after a step, and time enough for two."""
    measure.block(program, batch, 1)
    time.sleep(2 * _step_s(timings))
    taken: Span = _timed(program.weights)[1]
    return taken
