"""Does a wait still wait, late in a run? Blocks of as many steps as were measured, and what they leave undone.

A wait that returns before the work is done leaves it to whatever is asked for next: fetching the weights then takes as
long as the work. One that gives a number which it kept gives that of other weights.
"""

import time
from typing import Any, Dict, Iterator, Tuple

import numpy as np

from bench import measure
from bench.errors import ContractError
from bench.measure import Timings

LEAST, MOST = 2, 21  # blocks: of so many, two are the tenth after another
CHEAP_S = 1.0  # for which they go on even after a run that took less
UNDONE = 0.5  # of a block's work may be left: what takes longer now and then on a busy machine is less, or not again
PASSES = 3  # in each of which a block must leave more, for a wait that does not wait does so again
OTHER_WEIGHTS = 0.9
SMALL = 1e-3  # of the first loss: below, a network has learned its batch, and two losses may well be equal


def check(program: Any, weights: Dict[str, np.ndarray], batch: Any, timings: Timings) -> None:
    """Raise ContractError for a program whose waits, after blocks as they were measured, do not wait."""
    worst = [max(_shares(program, weights, batch, timings))]
    while worst[-1] > UNDONE and len(worst) < PASSES:
        worst.append(max(_shares(program, weights, batch, timings)))
    if worst[-1] > UNDONE:
        raise ContractError(
            "late in the run, a wait left %.0f %% of a block's work undone: does it stop waiting after some steps?"
            % (100 * min(worst))
        )


def _shares(program, weights, batch, timings) -> Iterator[float]:
    """Yield the share of each block's work that was still to be done when its wait returned.

    Its weights are now the run's, now others: a loss that comes again is no step's.
    """
    usual_s, before = _fetch_of_what_is_done(program, batch, timings), None
    begin, made, allowed_s = time.perf_counter(), 0, max(sum(timings.block_s) / 2, CHEAP_S)
    while made < LEAST or (made < MOST and time.perf_counter() - begin <= allowed_s):
        scale = np.float32(OTHER_WEIGHTS if made % 2 else 1.0)
        program.load({name: value * scale for name, value in weights.items()})
        worked_s, fetched_s, number = _block(program, batch, timings.steps_per_block)
        if number == before and abs(number) > SMALL * abs(timings.loss_first):
            raise ContractError("late in the run, a wait gave the number %s again, after other steps: does it stop "
                                "waiting after some steps?" % number)  # fmt: skip
        before, made = number, made + 1
        yield max(0.0, fetched_s - usual_s) / (worked_s + fetched_s)


def _block(program, batch, steps) -> Tuple[float, float, float]:
    """Return (seconds of a block with its wait, seconds of fetching the weights after it, its number)."""
    begin = time.perf_counter()
    number = measure.block(program, batch, steps)[2]
    waited = time.perf_counter()
    program.weights()
    return waited - begin, time.perf_counter() - waited, number


def _fetch_of_what_is_done(program, batch, timings):
    """Return the seconds of fetching weights when nothing is outstanding: after a step, and time enough for two."""
    measure.block(program, batch, 1)
    time.sleep(2 * min(timings.block_s) / timings.steps_per_block)
    begin = time.perf_counter()
    program.weights()
    return time.perf_counter() - begin
