"""The contract on optimisers and on a framework's own training loop: other steps than the stated ones are seen."""

import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bench import measure, registry
from bench.worker import contract

WORK_S = 0.05  # of a step whose duration is known
WAIT = contract.wait_returns_after_the_work
FIT = contract.an_epoch_of_fit_is_the_loop_by_hand
STEP = contract.the_first_step_is_the_stated_optimizers


def verdict(sentence, environment, adapter):
    return contract.check(environment, adapter, "plain", "mnist_mlp", (sentence,))[sentence.__name__]


def broken_by(frameworks, change, has_fit=True):
    """Return what breaks the sentence on fit() when `change` replaces it."""
    environment = registry.environment("numpy-a", frameworks)._replace(has_fit=has_fit)
    adapter = registry.adapter(environment)
    if change:
        real = adapter.Program.fit
        adapter.Program.fit = lambda program, x, y, size: change(lambda x, y: real(program, x, y, size), x, y)
    return verdict(FIT, environment, adapter)


def shuffled(fit, x, y):
    order = np.random.RandomState(5).permutation(len(y))
    return fit(x[order], y[order])


OTHER_LOOPS = {
    "shuffled": shuffled,
    "one batch less": lambda fit, x, y: fit(x[: -len(y) // 3], y[: -len(y) // 3]),
    "twice": lambda fit, x, y: np.mean([fit(x, y), fit(x, y)]),
    "the sum": lambda fit, x, y: 3 * fit(x, y),
}


def test_the_same_steps_in_the_same_order_keep_it_and_without_a_loop_of_its_own_nothing_is_asked(frameworks):
    assert (broken_by(frameworks, None), broken_by(frameworks, shuffled, has_fit=False)) == ("", "")


@pytest.mark.parametrize("change", OTHER_LOOPS.values(), ids=OTHER_LOOPS)
def test_other_steps_or_another_loss_break_it(change, frameworks):
    assert "fit()" in broken_by(frameworks, change)


def moved_by(frameworks, square=None):
    """Return what breaks the sentence on the first step when `square` is part of the step."""
    environment = registry.environment("numpy-a", frameworks)
    adapter = registry.adapter(environment)
    if square:
        adapter.Program._train = lambda program, batch: stepped(program, batch, square)
    return verdict(STEP, environment, adapter)


def stepped(program, batch, square):
    """Do one step of RMSprop, the square of the batch's gradient taken from those of its two halves by `square`."""
    x, y = batch
    halves = [program.gradients((x[half], y[half]))[2] for half in (slice(len(y) // 2), slice(len(y) // 2, None))]
    for name in halves[0]:
        parts = [half[name] / 2 for half in halves]
        change = sum(parts) / (np.sqrt(0.1 * square(parts)) + program.epsilon)
        program.values[name] -= program.learning_rate * change
    return 0.0


def test_the_stated_optimizer_keeps_it(frameworks):
    assert moved_by(frameworks) == ""
    assert moved_by(frameworks, lambda parts: sum(parts) ** 2) == ""


WRONG_SQUARES = {
    "squared one by one": lambda parts: sum(part**2 for part in parts),
    "without rho": lambda parts: 10 * sum(parts) ** 2,
}


@pytest.mark.parametrize("square", WRONG_SQUARES.values(), ids=WRONG_SQUARES)
def test_an_optimizer_that_moves_weights_otherwise_breaks_it(square, frameworks):
    assert "moved otherwise than RMSprop moves them" in moved_by(frameworks, square)


def working(environment, waits, loss=None):
    """Return an adapter whose steps return their loss, or `loss`, at once and work for WORK_S; wait() waits, or not."""
    adapter = registry.adapter(environment)

    class Working(adapter.Program):
        def __init__(self, *words):
            super().__init__(*words)
            self.device = ThreadPoolExecutor(1)
            self.number, self.step = self.step, self.begin

        def begin(self, batch):
            self.device.submit(time.sleep, WORK_S)
            return loss or self.number(batch)

        def wait(self, handle):
            if waits:
                self.device.submit(int).result()
            return super().wait(handle)

        def weights(self):
            self.device.submit(int).result()
            return super().weights()

    adapter.Program = Working
    return adapter


@pytest.mark.parametrize("waits", [True, False])
def test_a_wait_that_returns_the_right_loss_before_the_work_is_done_breaks_the_contract(waits, frameworks):
    environment = registry.environment("numpy-a", frameworks)
    assert verdict(contract.wait_returns_the_number_of_its_step, environment, working(environment, waits)) == ""
    at_once = working(environment, waits, loss=1.0)  # costs no time of its own
    assert ("undone" in verdict(WAIT, environment, at_once)) is not waits


@pytest.mark.parametrize("waits", [True, False])
def test_work_of_a_known_duration_is_measured_whole_by_a_right_wait_alone(waits, frameworks):
    environment = registry.environment("numpy-a", frameworks)
    at_once = working(environment, waits, loss=1.0)
    program, batch = contract.Candidate(environment, at_once, "plain", "mnist_mlp").program()
    assert (measure.block(program, batch, 5)[0] >= 5 * WORK_S) is waits
