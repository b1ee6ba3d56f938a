"""What every adapter must keep, checked inside its own environment: `python -m bench contract`.

Each check is a sentence: a function that raises ContractError with what was expected and what came.
"""

import time
from typing import Any, Dict, Tuple

import numpy as np

from bench import compiling, registry
from bench.problem import NOT_TRAINED, SGD, Adadelta, Adam, AdamW
from bench.proof.parity import TOLERANCES
from bench.worker import replicas
from bench.worker.candidate import Candidate, Sentence, expect

STEPS = 8
SAME_LOSS = 1e-4  # relative: the same arithmetic on the same numbers, compiled with an update or without
SAME_LOSS_AGAIN = 1e-5  # relative: of the same step once more; a GPU may sum in another order
SAME_SUM = 1e-4  # of the sum of the outputs' sizes
BATCHES = 3  # of an epoch: their order shows in the weights
CLEAR = 1e-4  # of a gradient: so far above every epsilon that where an optimiser adds it does not matter
STILL = 1e-6  # of a weight: float32 rounds it by less, and at a learning rate of 1 a decay of 1e-4 moves it by more
SAME_MOVE = 0.01  # relative, of a tensor's weights with a clear gradient: rounding of weights moves them by less


def the_statement_counts_its_parameters(subject: Candidate) -> None:
    """The sizes of the stated weights add up to PARAMETERS, which pages and costs are written from."""
    count, stated = sum(value.size for value in subject.stated().values()), subject.problem.PARAMETERS
    expect(count == stated, "PARAMETERS is %d, and the sizes of weights() add up to %d", stated, count)


def weights_survive_a_round_trip(subject: Candidate) -> None:
    """Weights come back as they were loaded, under the same names and in the same shapes."""
    program, _ = subject.used(subject.task)
    stated = subject.stated()
    given = program.weights()
    missing, extra = sorted(set(stated) - set(given)), sorted(set(given) - set(stated))
    expect(not missing and not extra, "weights() lacks %s and also has %s", missing[:5], extra[:5])
    for name, value in stated.items():
        expect(given[name].shape == value.shape, "%s: expected shape %s, got %s", name, value.shape, given[name].shape)
        expect(np.array_equal(given[name], value), "%s: came back with other numbers", name)


def gradients_name_every_trained_weight(subject: Candidate) -> None:
    """gradients() names each trained weight in its canonical shape, and changes none."""
    program, batch = subject.used()
    stated = subject.stated()
    gradients = program.gradients(batch)[2]
    trained = {name for name in stated if not name.endswith(NOT_TRAINED)}
    expect(set(gradients) == trained, "expected gradients of %s, got %s", sorted(trained), sorted(gradients))
    for name in trained:
        expect(gradients[name].shape == stated[name].shape, "the gradient of %s has another shape", name)


def training_drops_out_and_inference_does_not(subject: Candidate) -> None:
    """Two training steps from the same weights differ where dropout is stated, and there alone.

    Not where it is taken out for parity, whatever layer it sits in, nor in two forward passes.
    """
    problem = subject.problem
    if problem.OPTIMIZERS:
        program, batch = subject.used()
        first, second = _losses_of_the_same_step(program, batch, subject.stated())
        expect(not problem.DROPOUT or first != second, "dropout is off in training: twice the loss %s", first)
        if problem.DROPOUT:
            first, second = _losses_of_the_same_step(*subject.without_dropout(), subject.stated())
        apart = abs(first - second)
        expect(apart <= SAME_LOSS_AGAIN * abs(first), "training drops out unasked: losses %s and %s", first, second)
    program, batch = subject.used("infer")
    first, second = (program.wait(program.step(batch)) for _ in range(2))
    expect(first == second, "dropout is on in inference: %s, then %s", first, second)


def _losses_of_the_same_step(program, batch, weights):
    first = program.wait(program.step(batch))
    program.load(weights)
    return first, program.wait(program.step(batch))


def outputs_are_those_of_inference(subject: Candidate) -> None:
    """outputs() of a program in training equals that of a program in inference, and training goes on after it.

    A step in inference gives the sum of its outputs.
    """
    program, batch = subject.used("infer")
    expected = program.outputs(batch)
    given, total, size = program.wait(program.step(batch)), float(expected.sum()), float(np.abs(expected).sum())
    expect(abs(given - total) <= SAME_SUM * size, "a step gave %s, and the outputs add up to %s", given, total)
    if not subject.problem.OPTIMIZERS:
        return
    program, batch = subject.used()
    for _ in range(2):
        given = program.outputs(batch)
        apart = np.abs(given - expected).max() / np.abs(expected).max()
        expect(apart <= 1e-4, "outputs in training and in inference differ by %.1e of the largest", apart)
    program.wait(program.step(batch))
    changed = [name for name, value in program.weights().items() if not np.array_equal(value, subject.stated()[name])]
    expect(changed, "after outputs(), a step changed no weight")


def each_device_steps_on_its_share(subject: Candidate) -> None:
    """In a mode of several devices, each of them makes a step, on an equal share of the batch."""
    program, batch = subject.used(subject.task)
    program.wait(program.step(batch))
    replicas.check(program, subject.mode, subject.problem.PARITY_BATCH)


def training_learns_one_batch(subject: Candidate) -> None:
    """After STEPS steps on one batch, without dropout, the loss has fallen."""
    program, batch = subject.without_dropout()
    losses = [program.wait(program.step(batch)) for _ in range(STEPS)]
    expect(losses[-1] < losses[0], "the loss went from %s to %s", losses[0], losses[-1])


def wait_returns_after_the_work(subject: Candidate) -> None:
    """Once wait() has returned nothing is outstanding: fetching the updated weights finds them ready."""
    program, batch = subject.program()
    program.wait(program.step(batch))
    tries = [_outstanding(program, batch) for _ in range(3)]
    share = min(tries)
    expect(share <= 0.5, "%d steps and a wait left %.0f %% of their work undone", STEPS, 100 * share)


def _outstanding(program, batch):
    """Return the share of the work of STEPS steps that was still to be done when wait() returned.

    A fetch has to wait for what is outstanding: after STEPS steps for all of it, after one more for little. Without
    that one, a framework that keeps on the host what was fetched from a device would fetch nothing.
    """
    worked, fetched = _times_of(program, batch, STEPS)
    _, fetched_again = _times_of(program, batch, 1)
    return max(0.0, fetched - fetched_again) / (worked + fetched)


def _times_of(program, batch, steps):
    """Return (seconds of steps and a wait, seconds of fetching the weights after it)."""
    begin = time.perf_counter()
    for _ in range(steps):
        handle = program.step(batch)
    program.wait(handle)
    waited = time.perf_counter()
    program.weights()
    return waited - begin, time.perf_counter() - waited


def wait_returns_the_number_of_its_step(subject: Candidate) -> None:
    """wait() returns a Python float: the loss that gradients() gives for the same weights and batch, at every step."""
    program, _ = subject.without_dropout()
    random, before = np.random.RandomState(1), float("inf")
    for _ in range(2):  # the number of the step before is not that of the second
        batch = program.place(*registry.parity_batch(subject.problem, random))
        program.load(subject.stated())
        _, expected, _ = program.gradients(batch)
        expect(
            abs(expected - before) > 10 * SAME_LOSS * expected,
            "two batches have nearly the same loss, %s and %s: no telling which was waited for", before, expected,
        )  # fmt: skip
        program.load(subject.stated())
        given = program.wait(program.step(batch))
        expect(isinstance(given, float), "wait() returned %s %.80r, no Python float", type(given).__name__, given)
        apart = abs(given - expected)
        expect(apart <= SAME_LOSS * abs(expected), "wait() returned %s, gradients() has the loss %s", given, expected)
        before = expected


def the_first_step_is_the_stated_optimizers(subject: Candidate) -> None:
    """The first step moves each weight with a clear gradient as the stated optimiser does, from the sum of its uses.

    If a batch uses a word's row twice, both gradients must be summed before they are squared. Parity hardly sees a row
    that moves otherwise, because it compares all weights as one vector.
    """
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
    if not can_fit:
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


# What parity leaves out of a model that drops out, or meets a word twice, and a check of another model does not show.
# Outputs come first: a program that was traced in inference then has to train.
ABOUT_DROPOUT = (outputs_are_those_of_inference, training_drops_out_and_inference_does_not)
ABOUT_WORDS = (the_first_step_is_the_stated_optimizers,)
ABOUT_WAITING = (training_learns_one_batch, wait_returns_after_the_work, wait_returns_the_number_of_its_step)
CHECKS = (
    the_statement_counts_its_parameters,
    weights_survive_a_round_trip,
    *ABOUT_DROPOUT,
    gradients_name_every_trained_weight,
    each_device_steps_on_its_share,
    training_learns_one_batch,
    wait_returns_after_the_work,
    wait_returns_the_number_of_its_step,
    the_first_step_is_the_stated_optimizers,
    what_has_no_gradient_stays,
    an_epoch_of_fit_is_the_loop_by_hand,
)
# Of a large network, parity compares the gradients and 20 losses: these are asked of a small one in training alone.
OF_SMALL = (gradients_name_every_trained_weight, *ABOUT_WAITING, *ABOUT_WORDS, an_epoch_of_fit_is_the_loop_by_hand)


def check(
    environment: registry.Environment, adapter: Any, mode: str, workload: str, sentences: Tuple[Sentence, ...] = CHECKS
) -> Dict[str, str]:
    """Return {sentence: what broke it, or ""} of every check, or of `sentences`, for one workload in one mode."""
    subject = Candidate(environment, adapter, mode, workload)
    is_asked = {each: subject.is_small_and_trained or each not in OF_SMALL for each in sentences}
    found = {each.__name__: subject.broken(each) if is_asked[each] else "" for each in sentences}
    if sentences is CHECKS and subject.compiled() == compiling.NOTHING:
        found[compiling.NOTE] = "the mode asks a compiler, and nothing was compiled: no evidence on compiling"
    return found
