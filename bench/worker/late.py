"""Is a late step of a measured run still a step? Asked of the very program that was measured, off the clock.

Parity and the contract look at the first steps of fresh programs, of a small batch. One that leaves out every fiftieth
update, fetches no number any more once it has fetched thirty, or leaves out examples of a larger batch passes both, and
is faster than it may be. So a run ends with further steps of the same program, its optimiser's state and all its
counters as they are, from the run's first weights; and with numbers that its rivals must have too
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

LEAST, MOST = 2, 51  # further steps: between 51 losses lie 50 updates, of which one is left out if every fiftieth is
CHEAP_S = 2.0  # for which further steps go on even after blocks that took less: what is left out may be every tenth
SAME_LOSS = 1e-4  # relative: of the same weights and batch
SAME_LOSS_AGAIN = 1e-5  # relative: of the same step once more; a GPU may sum in another order
NEARLY_EQUAL = 1e-6  # relative: two losses between which there may have been no update
SMALL = 1e-3  # of the first loss: below, a network has learned its batch, and losses tell nothing any more
SAME_NUMBER = 1e-2  # of what other weights change the number by
OTHER_WEIGHTS = 0.9  # times a run's own


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
    """Raise ContractError unless a program that has just been measured on `batch`, from `weights`, goes on as it began.

    Returns what its rivals must have too, fields of a run's line. All of it takes a few times as long as the blocks
    did, or some seconds. Its weights are others thereafter, it drops out no more, and peak memory is another.
    """
    if task == "infer":
        _check_number(program, weights, batch, timings)
        unfinished.check(program, weights, batch, timings, device)
        return {"size_of_outputs": float(np.abs(program.outputs(batch)).sum(dtype=np.float64))}
    if timings.loss_first == timings.loss_last:
        return {}  # the run is implausible (bench/results/plausible.py)
    _check_steps(program, problem, weights, batch, timings, precision)
    unfinished.check(program, weights, batch, timings, device)
    return of_rivals(program, problem, weights, batch)


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


def _check_steps(program, problem, weights, batch, timings, precision):
    """From the first weights the first loss comes again, and each further step moves the weights."""
    program.load(weights)
    losses = list(_further(program, batch, timings))
    apart = abs(losses[0] - timings.loss_first)
    _expect(problem.DROPOUT or apart <= SAME_LOSS * abs(timings.loss_first),
            "the first weights had the loss %s, expected %s as at first", losses[0], timings.loss_first)  # fmt: skip
    is_kept = len(losses) > 2 and len(set(losses)) == 1
    _expect(not is_kept, "%d steps all had the loss %s", len(losses), losses[0])
    is_doubtful = any(abs(after - before) <= NEARLY_EQUAL * abs(before) for before, after in zip(losses, losses[1:]))
    if is_doubtful or problem.DROPOUT:  # equal by chance, perhaps; and with dropout, never equal
        _check_moves(program, batch, timings)
    if precision == "fp32":
        _check_none_is_given_again(losses, timings)


def _check_none_is_given_again(losses, timings):
    """No step has exactly the loss of the one before it, as long as that is not small: that is what was kept of it."""
    for made, (before, after) in enumerate(zip(losses, losses[1:]), 2):
        is_small = abs(after) <= SMALL * abs(timings.loss_first)
        _expect(is_small or after != before, "a wait gave a loss again, %s at the %d. further step: does it stop "
                "waiting after some steps?", after, made)  # fmt: skip


def _further(program, batch, timings) -> Iterator[float]:
    """Yield the losses of further steps, each of them waited for."""
    begin, made, allowed_s = time.perf_counter(), 0, max(sum(timings.block_s), CHEAP_S)
    while made < LEAST or (made < MOST and time.perf_counter() - begin <= allowed_s):
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


def of_rivals(program: Any, problem: Any, weights: Dict[str, np.ndarray], batch: Any) -> Dict[str, Any]:
    """Return what rivals must have too where the first loss tells nothing, since each step drops out others.

    Two losses of the whole batch that no dropout changes. One is of a step whose kernels are all zero: it tells which
    labels were read, by the step that was measured, however long ago that was compiled. The other is of the run's first
    weights, after dropout was taken out, and tells which examples were read as well: `gradients` gives it, for most
    steps keep the dropout that they were compiled with. None where that has dropout compiled into it, too. What is not
    seen is a compiled step that reads other examples than `gradients` does, with the right labels.
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
    """Return other weights: biases that differ, so that labels do, what is not trained as it was, and else zeros."""
    if name.endswith("bias"):
        return np.linspace(-1, 1, value.size).reshape(value.shape).astype(value.dtype)
    return value if name.endswith(NOT_TRAINED) else np.zeros_like(value)


def _loss(program, weights, batch):
    program.load(weights)
    return program.gradients(batch)[1]
