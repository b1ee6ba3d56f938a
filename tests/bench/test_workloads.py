"""The problem statements say what they promise."""

import numpy as np
import pytest

from bench import registry


@pytest.mark.parametrize("name", registry.workload_names())
def test_a_workload_has_the_parameters_of_its_source(name):
    problem = registry.workload(name)
    weights = problem.weights(np.random.RandomState(0))
    assert sum(value.size for value in weights.values()) == problem.PARAMETERS


@pytest.mark.parametrize("name", registry.workload_names())
def test_weights_and_batches_are_the_same_for_the_same_seed_and_not_constant(name):
    problem = registry.workload(name)
    one, other = (problem.weights(np.random.RandomState(0)) for _ in range(2))
    assert all(np.array_equal(one[key], other[key]) for key in one)
    assert all(value.dtype == np.float32 and value.std() > 0 for value in one.values())
    x, y = problem.batch(np.random.RandomState(1), 8)
    inputs = x if isinstance(x, tuple) else (x,)
    assert all(len(value) == len(y) == 8 and value.std() > 0 for value in inputs)


def test_an_unknown_workload_names_the_known_ones():
    from bench.errors import DefinitionError

    with pytest.raises(DefinitionError, match="mnist_mlp"):
        registry.workload("mnist_mpl")
