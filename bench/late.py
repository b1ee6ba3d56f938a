"""Is a late step of a measured run still a step? Asked of the very program that was measured, off the clock.

Parity and the contract look at the first steps of fresh programs. One that leaves out every fiftieth update, or fetches
no number any more once it has fetched thirty, passes both, and is faster than it may be. So a run ends with further
steps of the same program, its optimiser's state and all its counters as they are, from the run's first weights.
"""

import time
from typing import Any, Dict, Iterator

import numpy as np

from bench import measure
from bench.errors import ContractError
from bench.measure import Timings
from bench.problem import NOT_TRAINED

LEAST, MOST = 2, 51  # further steps: between 51 losses lie 50 updates, of which one is left out if every fiftieth is
SAME_LOSS = 1e-4  # relative: of the same weights and batch
SAME_LOSS_DROPPED_OUT = 0.5  # relative, where each step drops out others
NEARLY_EQUAL = 1e-6  # relative: two losses between which there may have been no update
SAME_NUMBER = 1e-2  # of what other weights change the number by
OTHER_WEIGHTS = 0.9  # times a run's own


def check(program: Any, problem: Any, task: str, weights: Dict[str, np.ndarray], batch: Any, timings: Timings) -> None:
    """Raise ContractError unless a program that has just been measured on `batch`, from `weights`, goes on as it began.

    In at most about twice the time that its blocks took. Its weights are others thereafter, and so is peak memory.
    """
    if task == "infer":
        _check_number(program, weights, batch, timings)
    elif timings.loss_first != timings.loss_last:  # else the run is implausible (bench/plausible.py)
        _check_steps(program, problem, weights, batch, timings)


def _expect(holds, message, *values):
    if not holds:
        raise ContractError("late in the run, " + message % values)


def _check_number(program, weights, batch, timings):
    """With other weights a step gives another number, with the first ones the first: none was kept and given again.

    Other weights change it more than another batch would: a deep network's outputs hardly know which it was.
    """
    program.load({name: value * np.float32(OTHER_WEIGHTS) for name, value in weights.items()})
    other = measure.block(program, batch, 1)[2]
    program.load(weights)
    again = measure.block(program, batch, 1)[2]
    first = timings.loss_first
    _expect(other != again, "a step gave the number %s whatever the weights", again)
    is_same = abs(again - first) <= SAME_NUMBER * abs(other - first)
    _expect(is_same, "the first weights gave %s, expected %s as at first", again, first)


def _check_steps(program, problem, weights, batch, timings):
    """From the first weights the first loss comes again, and each further step moves the weights."""
    program.load(weights)
    losses = list(_further(program, batch, timings))
    apart, allowed = abs(losses[0] - timings.loss_first), SAME_LOSS_DROPPED_OUT if problem.DROPOUT else SAME_LOSS
    _expect(apart <= allowed * abs(timings.loss_first), "the first weights had the loss %s, expected %s as at first",
            losses[0], timings.loss_first)  # fmt: skip
    is_kept = len(losses) > 2 and len(set(losses)) == 1
    _expect(not is_kept, "%d steps all had the loss %s", len(losses), losses[0])
    is_doubtful = any(abs(after - before) <= NEARLY_EQUAL * abs(before) for before, after in zip(losses, losses[1:]))
    if is_doubtful or problem.DROPOUT:  # equal by chance, perhaps; and with dropout, never equal
        _check_moves(program, batch, timings)


def _further(program, batch, timings) -> Iterator[float]:
    """Yield the losses of further steps, each of them waited for."""
    begin, made = time.perf_counter(), 0
    while made < LEAST or (made < MOST and time.perf_counter() - begin <= sum(timings.block_s)):
        yield measure.block(program, batch, 1)[2]
        made += 1


def _check_moves(program, batch, timings):
    """Fetch the weights after each further step: one that leaves all trained ones as they were is none."""
    before = _trained(program)
    for made, _ in enumerate(_further(program, batch, timings), 1):
        after = _trained(program)
        is_moved = any(not np.array_equal(after[name], before[name]) for name in after)
        _expect(is_moved, "a step moved no weight, the %d. of those that were looked at", made)
        before = after


def _trained(program):
    """Return copies: on a CPU, weights may share the program's memory."""
    return {name: np.array(value) for name, value in program.weights().items() if not name.endswith(NOT_TRAINED)}
