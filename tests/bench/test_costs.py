"""What a step costs follows from its statement, and is what others have counted."""

import os

import numpy as np
import pytest

from bench import costs, oracle, registry
from bench.cases import Case
from bench.errors import DefinitionError

WORKLOADS = registry.workload_names()
# Multiply-adds of one forward pass, in units of 10^9, with 1000 classes: those of torchvision's table of models
# (VGG16, VGG19, DenseNet-121, EfficientNet-B3), and of ResNet-50 in its first version (He et al. 2015,
# arXiv:1512.03385, table 1: 3.8; 3.86 with the shortcuts' projections).
PUBLISHED = {"vgg16": 15.47, "vgg19": 19.63, "densenet121": 2.83, "efficientnet_b3": 1.83, "resnet50": 3.86}
BY_HAND = {
    "linear": 100 * 128 + 128 * 10,
    "mnist_mlp": 784 * 512 + 512 * 512 + 512 * 10,
    "mnist_cnn": 26 * 26 * 9 * 32 + 24 * 24 * 9 * 32 * 64 + 12 * 12 * 64 * 128 + 128 * 10,
    "imdb_gru": 150 * (125 + 100) * 300 + 100 * 2,
    "babi_rnn": (5 + 552) * (50 + 50) * 200 + 50 * 36,
    "mnist_hrnn": 28 * 28 * (1 + 128) * 512 + 28 * (128 + 128) * 512 + 128 * 10,
    "lstm_forecast": 48 * (8 + 64 + 64 + 64) * 256 + 64,
    "text_transformer": 2 * 64 * (4 * 128 * 128 + 2 * 64 * 128 + 2 * 128 * 512) + 128 * 2,
    "gpt": 6 * 128 * (4 * 384 * 384 + 2 * 128 * 384 + 2 * 384 * 1536) + 128 * 384 * 256,
}


def outlined(workload):
    return registry.workload(workload).weights(costs.Outline())


def case(workload, task="train", optimizer="sgd", batch_size=4, precision="fp32"):
    return Case(workload, "any", task, "any", precision, "nhwc", "cpu", batch_size, optimizer, "documented", "random")


def test_every_workload_has_a_network_in_numpy_and_nothing_else_has():
    assert {name[:-3] for name in os.listdir(oracle.FOLDER) if name.endswith(".py")} - {"__init__"} == set(WORKLOADS)


@pytest.mark.parametrize("workload", WORKLOADS)
def test_the_outlines_are_those_of_the_stated_weights(workload):
    problem = registry.workload(workload)
    assert sum(value.size for value in outlined(workload).values()) == problem.PARAMETERS
    if problem.PARAMETERS < 100e6:  # of a larger one, the sum must do
        stated = problem.weights(np.random.RandomState(0))
        assert {name: value.shape for name, value in outlined(workload).items()} == {
            name: value.shape for name, value in stated.items()
        }


@pytest.mark.parametrize("workload", PUBLISHED)
def test_a_published_networks_forward_pass_has_its_published_cost(workload):
    assert costs.flops(workload, "infer", 1) / 2e9 == pytest.approx(PUBLISHED[workload], rel=0.005)


@pytest.mark.parametrize("workload", BY_HAND)
def test_a_small_networks_forward_pass_costs_what_it_does_by_hand(workload):
    assert costs.flops(workload, "infer", 1) == 2 * BY_HAND[workload]


@pytest.mark.parametrize(("workload", "first"), [
    ("linear", ["hidden.kernel"]), ("lstm_forecast", ["lstm.0.kernel"]), ("mnist_hrnn", ["row_lstm.kernel"]),
    ("resnet50_features", ["conv.kernel"]), ("inception_v3", ["stem1.conv.kernel"]),
    ("efficientnet_b3", ["head.kernel"]), ("imdb_gru", []), ("babi_rnn", []), ("gpt", []),
])  # fmt: skip
def test_the_first_trained_layer_needs_no_gradient_of_its_input_unless_words_come_before(workload, first):
    trained = [kernel for kernel in costs.kernels(workload) if kernel.is_trained]
    assert [kernel.name for kernel in trained if kernel.passes == 2] == first
    assert {kernel.passes for kernel in trained} <= {2, 3}


def test_training_costs_three_forward_passes_less_the_gradient_to_the_images():
    first = 2 * 9 * 3 * 64 * 224 * 224
    assert costs.flops("vgg16", "train", 2) == 2 * (3 * costs.flops("vgg16", "infer", 1) - first)


def test_a_small_gpt_costs_what_nanogpt_estimates():
    counted = registry.workload("gpt").PARAMETERS - 128 * 384  # all but the positions; its biases cost nothing here
    per_character = 6 * counted + 12 * 6 * 384 * 128  # the PaLM paper's formula, as in `estimate_mfu`
    assert costs.flops("gpt", "train", 8) == pytest.approx(8 * 128 * per_character, rel=0.005)


def test_attention_that_looks_only_back_gets_by_without_what_comes_after():
    cost = costs.of(case("gpt", "infer", "none", 1))
    assert cost.flops - cost.least_flops == 6 * 2 * 2 * 384 * (127 * 128 // 2)
    cost = costs.of(case("text_transformer", "infer", "none", 1))
    assert cost.flops == cost.least_flops


def test_a_frozen_part_costs_its_forward_pass_only():
    head = 2 * 1536 * 10
    assert costs.flops("efficientnet_b3", "train", 1) == costs.flops("efficientnet_b3", "infer", 1) + head


def test_the_least_multiplications_are_those_of_lavin_and_gray():
    (conv, *_), head = costs.kernels("vgg16"), costs.kernels("vgg16")[-1]
    assert conv.least_flops / conv.flops == pytest.approx(8 * 8 / (6 * 6 * 3 * 3))
    assert head.least_flops == head.flops


def test_adam_must_move_its_two_moments_and_half_precision_half_the_bytes():
    least = {name: costs.of(case("vgg16", optimizer=name)).least_bytes for name in ("sgd", "adam")}
    kernels = sum(kernel.size for kernel in costs.kernels("vgg16"))
    assert least["adam"] - least["sgd"] == 2 * 4 * kernels
    assert least["sgd"] == 4 * (4 * kernels + 4 * 224 * 224 * 3 + 4)
    assert costs.of(case("vgg16", precision="bf16")).least_bytes == least["sgd"] / 2


@pytest.mark.parametrize("name", ["a_workload_of_tomorrow", "__init__", "../oracle/vgg16", "../workloads/vgg16"])
def test_what_a_workload_without_costs_takes_is_not_known(name):
    assert costs.of(case(name)) is None


def test_a_layer_that_the_network_does_not_apply_is_named(monkeypatch):
    monkeypatch.setattr(costs, "_counted", costs._counted.__wrapped__)
    monkeypatch.setattr(oracle, "forward", lambda _: lambda net, x: net.dense(x, "hidden"))
    with pytest.raises(DefinitionError, match="'head'"):
        costs.kernels.__wrapped__("linear")
