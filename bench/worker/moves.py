"""The contract's sentences on how weights move: as the stated optimiser moves them, and no others."""

import numpy as np

from bench import registry
from bench.problem import NOT_TRAINED, SGD, Adadelta, Adam, AdamW
from bench.proof.parity import TOLERANCES
from bench.worker.candidate import Candidate, expect

BATCHES = 3  # of an epoch: their order shows in the weights
CLEAR = 1e-4  # of a gradient: so far above every epsilon that where an optimiser adds it does not matter
STILL = 1e-6  # of a weight: float32 rounds it by less, and at a learning rate of 1 a decay of 1e-4 moves it by more
SAME_MOVE = 0.01  # relative, of a tensor's weights with a clear gradient: rounding of weights moves them by less


def the_first_step_is_the_stated_optimizers(subject: Candidate) -> None:
    """The first step moves each weight with a clear gradient as the stated optimiser does, from the sum of its uses.

    What a word's row is used for twice in a batch must be summed before it is squared: parity, which compares all
    weights as one vector, sees a row that moves otherwise only faintly.
    """
    if not subject.is_small_and_trained:
        return
    optimizer = next(iter(subject.problem.OPTIMIZERS.values()))
    (program, batch), stated = subject.without_dropout(), subject.stated()
    gradients = program.gradients(batch)[2]
    program.load(stated)
    program.wait(program.step(batch))
    given = program.weights()
    largest = max(np.abs(gradient).max() for gradient in gradients.values())
    expect(largest > CLEAR, "no gradient is above %s, the largest is %s: no telling how a step moves", CLEAR, largest)
    for name, gradient in gradients.items():
        is_clear = np.abs(gradient) > CLEAR
        moved = given[name].astype(np.float64) - stated[name]
        expected = _first_move(optimizer, gradient.astype(np.float64), stated[name])
        apart = np.linalg.norm((moved - expected)[is_clear])
        size = np.linalg.norm(expected[is_clear])
        expect(
            apart <= SAME_MOVE * size, "%s: %d weights moved otherwise than %s moves them, by %.1f %%",
            name, is_clear.sum(), type(optimizer).__name__, 100 * apart / size,
        )  # fmt: skip


def _first_move(optimizer, gradient, weight):
    """Return by how much the first step of a stated optimiser changes weights, from no history."""
    rate, kind = optimizer.learning_rate, type(optimizer)
    if kind is AdamW:
        return -rate * (gradient / (np.abs(gradient) + optimizer.epsilon) + optimizer.weight_decay * weight)
    if kind is SGD:
        return -rate * gradient
    if kind is Adam:
        return -rate * gradient / (np.abs(gradient) + optimizer.epsilon)
    square = (1 - optimizer.rho) * gradient**2
    if kind is Adadelta:
        return -rate * gradient * np.sqrt(optimizer.epsilon / (square + optimizer.epsilon))
    return -rate * gradient / (np.sqrt(square) + optimizer.epsilon)


def what_has_no_gradient_stays(subject: Candidate) -> None:
    """What is before a last layer of zeros has no gradient: a step moves it by nothing, or by a decay that is stated.

    A decay that is not stated would be lost in a usual move, and at a small learning rate in rounding: here it is 1.
    """
    problem = subject.problem
    if not problem.OPTIMIZERS:
        return
    optimizer = next(iter(problem.OPTIMIZERS.values()))
    program, batch = subject.without_dropout(faster=1 / optimizer.learning_rate)
    weights = subject.stated()
    weights.update({name: np.zeros_like(weights[name]) for name in getattr(problem, "LAST", ("head.kernel",))})
    program.load(weights)
    gradients = program.gradients(batch)[2]
    program.load(weights)
    program.wait(program.step(batch))
    given, kept = program.weights(), _without_gradient(weights, gradients)
    for name in kept:
        decay = getattr(optimizer, "weight_decay", 0) if name in gradients else 0
        apart = np.abs(given[name] - (1 - decay) * weights[name])
        expect(
            (apart <= STILL * np.abs(weights[name])).all(),
            "%s: without a gradient, a step at a learning rate of 1 moved %d of its %d weights, by up to %s",
            name, (apart > STILL * np.abs(weights[name])).sum(), apart.size, apart.max(),
        )  # fmt: skip


def _without_gradient(weights, gradients):
    """Return the names of what has no gradient, frozen weights included; at least half the kernels trained must be."""
    is_kernel = {name: name.endswith(("kernel", "table")) for name in gradients}
    still = [name for name in gradients if not gradients[name].any()]
    among = sum(is_kernel[name] for name in still), sum(is_kernel.values())
    expect(2 * among[0] >= among[1], "only %d of %d kernels have no gradient: no telling what else moves them", *among)
    return still + [name for name in weights if name not in gradients and not name.endswith(NOT_TRAINED)]


def an_epoch_of_fit_is_the_loop_by_hand(subject: Candidate) -> None:
    """fit(), where a framework has it, does the steps of a loop over step(), and returns their mean loss."""
    can_fit = subject.mode in [mode.name for mode in registry.modes(subject.environment, "fit")]
    if not can_fit or not subject.is_small_and_trained:
        return
    random = np.random.RandomState(1)
    batches = [registry.parity_batch(subject.problem, random) for _ in range(BATCHES)]
    (by_hand, _), (own, _) = subject.without_dropout(), subject.without_dropout()
    expected = float(np.mean([by_hand.wait(by_hand.step(by_hand.place(*batch))) for batch in batches]))
    x, y = zip(*batches)
    examples = tuple(map(np.concatenate, zip(*x))) if isinstance(x[0], tuple) else np.concatenate(x)
    given = own.fit(examples, np.concatenate(y), len(y[0]))
    apart = abs(given - expected)
    expect(apart <= TOLERANCES["losses"] * abs(expected), "fit() returned %s, the mean loss is %s", given, expected)
    change = _distance(by_hand.weights(), subject.stated())
    share = _distance(own.weights(), by_hand.weights()) / change
    expect(share <= TOLERANCES["weights"], "the weights after fit() are off by %.0f %% of their way", 100 * share)


def _distance(weights, others):
    """Return the Euclidean distance of two sets of weights."""
    squares = (np.square(value.astype(np.float64) - others[name]).sum() for name, value in weights.items())
    return float(np.sqrt(sum(squares)))
