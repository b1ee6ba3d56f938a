"""Check the late steps of a measured run, with the program that was measured, untimed.

Parity and contract check the first steps of new programs. They miss a program that skips every fiftieth update, stops
fetching numbers after thirty, or skips examples of a larger batch. A run therefore ends with further steps of the same
program, with its optimiser's state, from the run's first weights. It also returns numbers that rivals must share
(bench/results/rivals.py).
"""

import time
from typing import Any, Dict, Iterator

import numpy as np

from bench import measure
from bench.errors import ContractError
from bench.measure import Timings
from bench.problem import NOT_TRAINED
from bench.worker import unfinished

LEAST, MOST = 2, 51  # further steps; 51 losses include 50 updates, enough to find every fiftieth missing
CHEAP_S = 2.0  # seconds of further steps even after shorter blocks, enough to find every tenth missing
SAME_LOSS = 1e-4  # relative; for equal weights and batch
SAME_LOSS_AGAIN = 1e-5  # relative; for a repeated step, since a GPU may sum in another order
NEARLY_EQUAL = 1e-6  # relative; between such losses an update may be missing
SMALL = 1e-3  # share of the first loss; below it the batch is memorised, and losses prove nothing
SAME_NUMBER = 1e-2  # relative to the effect of other weights on the number
OTHER_WEIGHTS = 0.9  # factor on a run's weights


def check(
    program: Any,
    problem: Any,
    task: str,
    weights: Dict[str, np.ndarray],
    batch: Any,
    timings: Timings,
    device: str = "cpu",
    precision: str = "fp32",
) -> Dict[str, Any]:
    """Check a program after its measurement on `batch` from `weights`; raise ContractError if it works otherwise now.

    Returns the fields of a run's line that rivals must share. Takes a few times as long as the blocks, or some seconds.
    Changes the program's weights, dropout and peak memory.
    """
    if task == "infer":
        _check_number(program, weights, batch, timings)
        unfinished.check(program, weights, batch, timings, device)
        return {"size_of_outputs": float(np.abs(program.outputs(batch)).sum(dtype=np.float64))}
    if timings.loss_first == timings.loss_last:
        return {}  # plausible.py refuses such a run
    _check_steps(program, problem, weights, batch, timings, precision)
    unfinished.check(program, weights, batch, timings, device)
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
    begin, made, allowed_s = time.perf_counter(), 0, max(sum(timings.block_s), CHEAP_S)
    while made < LEAST or (made < MOST and time.perf_counter() - begin <= allowed_s):
        yield measure.block(program, batch, 1)[2]
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


def of_rivals(program: Any, problem: Any, weights: Dict[str, np.ndarray], batch: Any) -> Dict[str, Any]:
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
