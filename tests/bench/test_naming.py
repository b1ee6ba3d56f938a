"""A weight that a model names differently from the workload is reported with the names on both sides."""

import numpy as np
import pytest

from bench import registry
from bench.errors import ContractError
from bench.worker import candidate

STATED = {"hidden.kernel": np.ones((3, 4)), "hidden.bias": np.ones(4), "head.kernel": np.ones((4, 2)),
          "head.bias": np.ones(2)}  # fmt: skip


class Model:
    """A program that takes each weight by its name, and in its own shape."""

    def __init__(self, *shapes):
        self.shapes = dict(shapes)

    def load(self, weights):
        self.values = {name: weights[name].reshape(shape) for name, shape in self.shapes.items()}


@pytest.mark.parametrize(
    ("names", "unknown", "unused"),
    [
        (("hidden", "head"), [], []),
        (("hidden", "fc"), ["fc.bias", "fc.kernel"], ["head.bias", "head.kernel"]),
        (("encoder", "fc"), ["encoder.bias", "encoder.kernel", "fc.bias", "fc.kernel"], sorted(STATED)),
    ],
)
def test_all_names_without_a_partner_are_told_and_not_the_first_alone(names, unknown, unused):
    layers = zip(names, ("hidden", "head"), strict=True)
    parts = [(name + part, right + part) for name, right in layers for part in (".bias", ".kernel")]
    shapes = [(own, STATED[right].shape) for own, right in parts]
    assert candidate.unmatched(Model(*shapes), STATED) == (unknown, unused)


class ByLayer(Model):
    """A program that looks the path of each layer up before it takes weights, as that of Keras does."""

    def load(self, weights):
        paths = {name.rpartition(".")[0]: name.rpartition(".")[0] for name in weights if "." in name}
        self.values = {name: weights[f"{paths[layer]}.{leaf}"].reshape(shape)
                       for name, shape in self.shapes.items() for layer, _, leaf in [name.rpartition(".")]}  # fmt: skip


def test_a_layer_that_is_looked_up_first_is_told_by_its_own_name():
    program = ByLayer(("hidden.kernel", (3, 4)), ("hidden.bias", (4,)), ("fc.kernel", (4, 2)), ("fc.bias", (2,)))
    assert candidate.unmatched(program, STATED) == (["fc"], ["head.bias", "head.kernel"])


def test_a_layer_that_nothing_stated_fits_is_told_as_far_as_loading_goes():
    found = candidate.unmatched(Model(("hidden.kernel", (3, 4)), ("third.kernel", (7, 7))), STATED)
    assert found == (["third.kernel"], ["head.bias", "head.kernel", "hidden.bias"])


def test_a_long_list_of_names_is_cut_and_says_so():
    found = candidate.Named([f"fc{number}.bias" for number in range(9)], [])
    assert "fc5.bias, and 3 more; the workload states weights that the model never asks for: none." in candidate.told(
        found, "linear", "jax")  # fmt: skip


def test_a_key_error_of_another_kind_is_told_as_it_is(frameworks):
    environment, other = registry.environment("numpy-a", frameworks), KeyError("cudnn")
    adapter = registry.adapter(environment)
    assert candidate.explained(other, environment, adapter, "mnist_mlp", "train", "plain", "rmsprop") is other


def test_the_model_of_an_environment_is_asked(frameworks, monkeypatch):
    environment = registry.environment("numpy-a", frameworks)
    model = registry.model(environment, "mnist_mlp")
    monkeypatch.setattr(model, "LAYERS", ("hidden1", "hidden2", "fc"))
    monkeypatch.setattr(registry, "model", lambda *_: model)
    asked = "mnist_mlp", "infer", "plain", "none"
    given = candidate.explained(KeyError("fc.kernel"), environment, registry.adapter(environment), *asked)
    assert isinstance(given, ContractError)
    assert "fc.bias, fc.kernel; the workload states weights that the model never asks for: head.bias" in str(given)
