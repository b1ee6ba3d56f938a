"""The contract on a framework's own training loop: one that does other steps than the loop by hand is seen."""

import numpy as np
import pytest

from bench import contract, registry

SENTENCE = contract.an_epoch_of_fit_is_the_loop_by_hand


def broken_by(frameworks, change, has_fit=True):
    """Return what breaks the sentence when `change` replaces fit()."""
    environment = registry.environment("numpy-a", frameworks)._replace(has_fit=has_fit)
    adapter = registry.adapter(environment)
    if change:
        real = adapter.Program.fit
        adapter.Program.fit = lambda program, x, y, size: change(lambda x, y: real(program, x, y, size), x, y)
    return contract.check(environment, adapter, "plain", "mnist_mlp", (SENTENCE,))[SENTENCE.__name__]


def shuffled(fit, x, y):
    order = np.random.RandomState(5).permutation(len(y))
    return fit(x[order], y[order])


def one_batch_less(fit, x, y):
    return fit(x[: -len(y) // 3], y[: -len(y) // 3])


def twice(fit, x, y):
    return np.mean([fit(x, y), fit(x, y)])


def the_sum(fit, x, y):
    return 3 * fit(x, y)


def test_the_same_steps_in_the_same_order_keep_it(frameworks):
    assert broken_by(frameworks, None) == ""


@pytest.mark.parametrize("change", [shuffled, one_batch_less, twice, the_sum])
def test_other_steps_or_another_loss_break_it(change, frameworks):
    assert "fit()" in broken_by(frameworks, change)


def test_a_framework_without_a_loop_of_its_own_is_not_asked(frameworks):
    assert broken_by(frameworks, shuffled, has_fit=False) == ""
