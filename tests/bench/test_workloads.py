"""The problem statements say what they promise."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

from bench import costs, dataset, registry, workloads
from bench.errors import DefinitionError
from bench.worker import epochs

LARGE = 20_000_000  # parameters, which take seconds to draw twice
TRAINED_ON_DATA = [name for name in registry.workload_names() if hasattr(registry.workload(name), "DATASET")]


@pytest.mark.parametrize("name", [
    pytest.param(name, marks=[pytest.mark.nightly] * (registry.workload(name).PARAMETERS > LARGE))
    for name in registry.workload_names()
])  # fmt: skip
def test_a_workload_has_its_sources_parameters_the_same_for_the_same_seed_and_not_constant(name):
    problem = registry.workload(name)
    one, other = (problem.weights(np.random.RandomState(0)) for _ in range(2))
    assert sum(value.size for value in one.values()) == problem.PARAMETERS
    assert all(np.array_equal(one[key], other[key]) for key in one)
    assert all(value.dtype == np.float32 and (value.std() > 0 or value.shape == (1,)) for value in one.values())
    x, y = problem.batch(np.random.RandomState(1), 8)
    assert all(len(value) == len(y) == 8 and value.std() > 0 for value in _all(x))


@pytest.mark.parametrize("name", TRAINED_ON_DATA)
def test_a_data_set_gives_what_its_network_takes_in_training_and_in_the_test(name):
    problem = registry.workload(name)
    data = dataset.load(problem.DATASET, stand_in=True, examples=(6, 4))
    x, y = problem.batch(np.random.RandomState(0), 6)
    for_training, for_test = epochs.readers(problem)
    for given, wanted in zip(_all(for_training(np.random.RandomState(1), data.x_train)), _all(x), strict=True):
        assert (given.shape, given.dtype) == (wanted.shape, wanted.dtype)
    for given, wanted in zip(_all(for_test(data.x_test)), _all(x), strict=True):
        assert given.shape[1:] == wanted.shape[1:]
    assert (data.y_train.shape, data.y_train.dtype) == (y.shape, y.dtype)


def test_a_text_keeps_its_last_words_and_rare_ones_are_unknown():
    (words,) = registry.workload("text_transformer").for_test(np.arange(4900, 5050)[None].astype(np.int32))
    assert words.tolist() == [4986 + i if 4986 + i < 5000 else 2 for i in range(64)]


def test_a_score_of_characters_counts_each_of_them():
    y = np.arange(256).reshape(2, 128)
    assert epochs.score(registry.workload("gpt"), np.eye(256)[np.where(y < 64, 0, y)], y) == (256 - 63) / 256


def _all(x):
    return x if isinstance(x, tuple) else (x,)


def test_an_unknown_workload_names_the_known_ones():
    with pytest.raises(DefinitionError, match="mnist_mlp"):
        registry.workload("mnist_mpl")


def test_a_workload_is_loaded_once_until_its_file_changes(tmp_path):
    content = Path(registry.WORKLOADS, "linear.py").read_text(encoding="utf-8")
    path = tmp_path / "linear.py"
    path.write_text(content, encoding="utf-8")
    assert registry.workload("linear", str(tmp_path)) is registry.workload("linear", str(tmp_path))
    path.write_text(content.replace("ORDER = 3", "ORDER = 33"), encoding="utf-8")
    assert registry.workload("linear", str(tmp_path)).ORDER == 33


@pytest.mark.parametrize("name", ["__init__", "../oracle/linear", "linear.py", "mnist_mpl", ""])
def test_what_is_no_name_of_a_workload_is_none_and_no_path_is_made_of_it(name):
    assert registry.has_workload("linear")
    assert not registry.has_workload(name)


def words(text):
    """Return the words that a list explains: each item begins with one or more, and a colon."""
    return {word for item in re.findall(r"^- ([\w, ]+):", text, re.MULTILINE) for word in item.split(", ")}


def stated_names(problem):
    """Return what a file states by itself, and does not import."""
    tree = ast.parse(Path(problem.__file__).read_text(encoding="utf-8"))
    assigned = {node.targets[0].id for node in tree.body if isinstance(node, ast.Assign)}
    return assigned | {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_the_template_in_the_recipe_states_a_workload_in_the_words_that_are_explained(tmp_path):
    recipe = Path(registry.ROOT, "CONTRIBUTING.md").read_text(encoding="utf-8")
    (template,) = re.findall(r"```python\n(.*?)```", recipe, re.DOTALL)
    (tmp_path / "template.py").write_text(template, encoding="utf-8")
    problem = registry.workload("template", str(tmp_path))
    explained = words(workloads.__doc__)
    assert set(registry.WORKLOAD_MUST_STATE) <= explained
    assert stated_names(problem) <= explained
    weights, (x, y) = problem.weights(np.random.RandomState(0)), problem.batch(np.random.RandomState(1), 4)
    assert sum(value.size for value in weights.values()) == problem.PARAMETERS
    assert sum(value.size for value in problem.weights(costs.Outline()).values()) == problem.PARAMETERS
    assert [name for name in weights if problem.is_undetermined(name)] == ["attention.key.bias"]
    assert (x.shape, x.max() < len(weights["embedding.table"]), y.shape) == ((4, 50), True, (4,))
