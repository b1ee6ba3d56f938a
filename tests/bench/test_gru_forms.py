"""Both forms of a GRU, in NumPy from their equations, against every answer that is kept of them."""

from pathlib import Path

import numpy as np
import pytest

from bench import ablations, answer, registry
from bench.proof import parity

KEPT = Path(registry.ROOT) / "results" / "parity"
FORMS = {"imdb_gru": False, "imdb_gru_reset_before": True}


def _sigmoid(value):
    return 1 / (1 + np.exp(-value))


def logits(weights, words, is_reset_before):
    """Return (examples, 2) of (examples, positions) words; the gates lie in the order update, reset, candidate."""
    kernel, recurrent, units = weights["gru.kernel"], weights["gru.recurrent_kernel"], 100
    inputs = weights["embedding.table"][words] @ kernel + weights["gru.bias"]
    state = np.zeros((len(words), units))
    for position in range(words.shape[1]):
        x_z, x_r, x_c = np.split(inputs[:, position], 3, axis=1)
        if is_reset_before:
            update, reset = (
                _sigmoid(own + state @ part) for own, part in zip((x_z, x_r), np.split(recurrent, 3, 1), strict=False)
            )
            candidate = np.tanh(x_c + (reset * state) @ recurrent[:, 2 * units :])
        else:
            h_z, h_r, h_c = np.split(state @ recurrent + weights["gru.recurrent_bias"], 3, axis=1)
            update, reset = _sigmoid(x_z + h_z), _sigmoid(x_r + h_r)
            candidate = np.tanh(x_c + reset * h_c)
        state = update * state + (1 - update) * candidate
    return state @ weights["head.kernel"] + weights["head.bias"]


@pytest.fixture(scope="module", params=FORMS)
def expected(request):
    problem, random = registry.workload(request.param), np.random.RandomState(1)
    weights = {name: value.astype(float) for name, value in problem.weights(np.random.RandomState(0)).items()}
    batches = [registry.parity_batch(problem, random)[0] for _ in range(answer.BATCHES)]
    outputs = [answer.comparable(logits(weights, words, FORMS[request.param]), problem) for words in batches]
    return request.param, np.stack(outputs)


def test_each_answer_is_that_of_the_equations(expected):
    name, outputs = expected
    kept = [path for path in sorted(KEPT.glob(f"*/{name}.adam.*.npz")) if ablations.is_same(path.stem.split(".", 2)[2])]
    assert kept, "no answer is kept"
    for path in kept:
        given = answer.read(str(path))["outputs"]
        error = np.linalg.norm(given - outputs) / np.linalg.norm(outputs)
        assert error <= parity.TOLERANCES["outputs"], path


def test_the_two_forms_are_not_the_same():
    problem = registry.workload("imdb_gru_reset_before")
    words, _ = registry.parity_batch(problem, np.random.RandomState(1))
    weights = {**problem.weights(np.random.RandomState(0)), "gru.recurrent_bias": np.zeros(300)}
    before, after = (logits(weights, words, form) for form in (True, False))
    assert np.linalg.norm(before - after) / np.linalg.norm(before) > 10 * parity.TOLERANCES["outputs"]
