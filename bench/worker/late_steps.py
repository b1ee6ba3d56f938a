"""Check the late steps and waits of a measured run, with the program that was measured, untimed.

Parity and contract check the first steps of new programs. They miss a program that skips every fiftieth update, stops
fetching numbers after thirty, or skips examples of a larger batch. A run therefore ends with further steps of the same
program, with its optimiser's state, from the run's first weights. It also returns numbers that rivals must share
(bench/results/rivals.py).

A wait that returns before the work is done leaves it to the next request: fetching the weights then takes as long as
the work. A wait that returns a stored number returns that of other weights.
"""

import math
import time
from typing import Any, Dict, Iterator, Optional

import numpy as np

from bench import measure
from bench.errors import ContractError
from bench.measure import Timings
from bench.problem import NOT_TRAINED

LEAST = 2  # further steps, and blocks
MOST_STEPS = 51  # their losses include 50 updates, enough to find every fiftieth missing
CHEAP_STEPS_S = 2.0  # of further steps even after shorter blocks, enough to find every tenth missing
SAME_LOSS = 1e-4  # relative; for equal weights and batch
SAME_LOSS_AGAIN = 1e-5  # relative; for a repeated step, since a GPU may sum in another order
NEARLY_EQUAL = 1e-6  # relative; between such losses an update may be missing
SMALL = 1e-3  # share of the first loss; below it the batch is memorised, and losses prove nothing
SAME_NUMBER = 1e-2  # relative to the effect of other weights on the number
OTHER_WEIGHTS = 0.9  # factor on a run's weights
MOST_BLOCKS = 21  # of so many, two are the tenth after another
BLOCK_S = 0.05  # at least: what a busy machine adds to a fetch is less
CHEAP_BLOCKS_S = 3 * MOST_BLOCKS * BLOCK_S  # of blocks even after a shorter run, also on a busy machine
UNDONE = 0.5  # share of a block's work that may be left
PASSES = 3  # a wait that does not wait leaves work in each of them

Numbers = Dict[str, Optional[float]]  # fields of a run's line that rivals must share


def check(
    program: Any,
    problem: Any,
    task: str,
    weights: Dict[str, np.ndarray],
    batch: Any,
    timings: Timings,
    device: str = "cpu",
    precision: str = "fp32",
) -> Numbers:
    """Check a program after its measurement on `batch` from `weights`; raise ContractError if it works otherwise now.

    Returns the fields of a run's line that rivals must share. Takes a few times as long as the blocks, or some seconds.
    Changes the program's weights, dropout and peak memory.
    """
    if task == "infer":
        _check_number(program, weights, batch, timings)
        check_waits(program, weights, batch, timings, device)
        return {"size_of_outputs": float(np.abs(program.outputs(batch)).sum(dtype=np.float64))}
    if timings.loss_first == timings.loss_last:
        return {}  # plausible.py refuses such a run
    _check_steps(program, problem, weights, batch, timings, precision)
    check_waits(program, weights, batch, timings, device)
    return of_rivals(program, problem, weights, batch)


def _expect(holds, message, *values):
    if not holds:
        raise ContractError("late in the run, " + message % values)


def _check_number(program, weights, batch, timings):
    """Check that the number of a step depends on the weights, so that it was not stored.

    Other weights are used instead of another batch, because a deep network's outputs depend little on the batch.
    """
    program.load({name: value * np.float32(OTHER_WEIGHTS) for name, value in weights.items()})
    other = measure.block(program, batch, 1)[2]
    program.load(weights)
    again = measure.block(program, batch, 1)[2]
    first = timings.loss_first
    _expect(other != again, "a step gave the number %s whatever the weights", again)
    is_same = abs(again - first) <= SAME_NUMBER * abs(other - first)
    _expect(is_same, "the first weights gave %s, expected %s as at first", again, first)


def _check_steps(program, problem, weights, batch, timings, precision):
    """Check that the first weights give the first loss again, and that each further step moves the weights."""
    program.load(weights)
    losses = list(_further(program, batch, timings))
    apart = abs(losses[0] - timings.loss_first)
    _expect(problem.DROPOUT or apart <= SAME_LOSS * abs(timings.loss_first),
            "the first weights had the loss %s, expected %s as at first", losses[0], timings.loss_first)  # fmt: skip
    is_kept = len(losses) > 2 and len(set(losses)) == 1
    _expect(not is_kept, "%d steps all had the loss %s", len(losses), losses[0])
    is_doubtful = any(abs(after - before) <= NEARLY_EQUAL * abs(before) for before, after in zip(losses, losses[1:]))
    if is_doubtful or problem.DROPOUT:  # losses equal by chance, or different by dropout
        _check_moves(program, batch, timings)
    if precision == "fp32":
        _check_none_is_given_again(losses, timings)


def _check_none_is_given_again(losses, timings):
    """Check that no loss equals the previous one exactly unless it is small, so that it was not stored."""
    for made, (before, after) in enumerate(zip(losses, losses[1:]), 2):
        is_small = abs(after) <= SMALL * abs(timings.loss_first)
        _expect(is_small or after != before, "a wait gave a loss again, %s at the %d. further step: does it stop "
                "waiting after some steps?", after, made)  # fmt: skip


def _further(program, batch, timings) -> Iterator[float]:
    """Yield the losses of further steps, waiting for each."""
    for _ in _count(MOST_STEPS, max(sum(timings.block_s), CHEAP_STEPS_S)):
        yield measure.block(program, batch, 1)[2]


def _count(most: int, allowed_s: float) -> Iterator[int]:
    """Count from 0, at least LEAST times and at most `most` times, for `allowed_s`."""
    begin, made = time.perf_counter(), 0
    while made < LEAST or (made < most and time.perf_counter() - begin <= allowed_s):
        yield made
        made += 1


def _check_moves(program, batch, timings):
    """Check that each further step changes some trained weight."""
    before = _trained(program)
    for made, _ in enumerate(_further(program, batch, timings), 1):
        after = _trained(program)
        is_moved = any(not np.array_equal(after[name], before[name]) for name in after)
        _expect(is_moved, "a step moved no weight, the %d. of those that were looked at", made)
        before = after


def _trained(program):
    """Return copies of the trained weights, because on a CPU they may share the program's memory."""
    return {name: np.array(value) for name, value in program.weights().items() if not name.endswith(NOT_TRAINED)}


def of_rivals(program: Any, problem: Any, weights: Dict[str, np.ndarray], batch: Any) -> Numbers:
    """Return the losses that rivals must share in workloads with dropout, where the first loss is random.

    `loss_of_biases` is the loss of a measured step with zero kernels, and shows which labels were read.
    `loss_without_dropout` is computed by `gradients` from the first weights without dropout, and shows which examples
    were read; None if dropout is compiled in. Undetected: a compiled step that reads other examples than `gradients`,
    with the right labels.
    """
    if not problem.DROPOUT:
        return {}
    program.load({name: _flat(name, value) for name, value in weights.items()})
    of_biases = measure.block(program, batch, 1)[2]
    program.without_dropout()
    first, again = (_loss(program, weights, batch) for _ in range(2))
    is_out = abs(first - again) <= SAME_LOSS_AGAIN * abs(first)
    return {"loss_of_biases": of_biases, "loss_without_dropout": first if is_out else None}


def _flat(name, value):
    """Return other weights: biases that differ, zeros for kernels, and untrained values unchanged."""
    if name.endswith("bias"):
        return np.linspace(-1, 1, value.size).reshape(value.shape).astype(value.dtype)
    return value if name.endswith(NOT_TRAINED) else np.zeros_like(value)


def _loss(program, weights, batch):
    program.load(weights)
    return program.gradients(batch)[1]


def check_waits(program: Any, weights: Dict[str, np.ndarray], batch: Any, timings: Timings, device: str) -> None:
    """Raise ContractError if the waits of a program, after blocks as they were measured, do not wait."""
    left = []
    for _ in range(PASSES):
        shares = sorted(_undone(program, weights, batch, timings, device), reverse=True)
        left.append(shares[0 if len(shares) < MOST_BLOCKS else 1])
        if left[-1] <= UNDONE:
            return
    _expect(False, "waits left up to %.0f %% of a block's work undone: does it stop waiting after some steps?",
            100 * max(left))  # fmt: skip


def _undone(program, weights, batch, timings, device) -> Iterator[float]:
    """Yield the share of each block's work that was still to be done when its wait returned.

    Its weights are in turn the run's and others, so a right wait repeats no loss. On a CPU, work takes processor time:
    a fetch that takes no more of it only waited for another process.
    """
    usual, before = _fetch_of_what_is_done(program, batch, timings), None
    steps = max(timings.steps_per_block, math.ceil(BLOCK_S / _step_s(timings)))
    for made in _count(MOST_BLOCKS, max(sum(timings.block_s) / 2, CHEAP_BLOCKS_S)):
        scale = np.float32(OTHER_WEIGHTS if made % 2 else 1.0)
        program.load({name: value * scale for name, value in weights.items()})
        number, worked = _timed(lambda: measure.block(program, batch, steps)[2])
        left = np.maximum(_timed(program.weights)[1] - usual, 0.0)
        is_small = abs(number) <= SMALL * abs(timings.loss_first)
        _expect(is_small or number != before, "a wait gave the number %s again, after other steps: does it stop "
                "waiting after some steps?", number)  # fmt: skip
        before = number
        shares = left / np.maximum(worked + left, measure.SHORTEST_S)
        yield float(shares.min() if device == "cpu" else shares[0])


def _step_s(timings):
    return max(min(timings.block_s) / timings.steps_per_block, measure.SHORTEST_S)


def _timed(do):
    """Return what a function gives, and the seconds it took: by the clock, and of the processors for all threads."""
    begin = np.array([time.perf_counter(), time.process_time()])
    given = do()
    return given, np.array([time.perf_counter(), time.process_time()]) - begin


def _fetch_of_what_is_done(program, batch, timings):
    """Return the seconds of fetching weights if nothing is outstanding: after a step, and time enough for two."""
    measure.block(program, batch, 1)
    time.sleep(2 * _step_s(timings))
    return _timed(program.weights)[1]
