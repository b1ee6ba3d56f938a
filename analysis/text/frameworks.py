"""Frameworks in words: what they are called, which of their defaults touch a workload, and which explain its times."""

import functools
import itertools
from collections.abc import Collection, Iterable, Sequence

from analysis.groups import grouped
from bench import registry
from bench.costs import Outline
from bench.problem import SOFTMAX_CROSS_ENTROPY
from bench.registry import Environment

GATES = {"gru_gates": 3, "lstm_biases": 4}  # a recurrent kernel's outputs over its units
OF_IMAGES = ("image_layout", "strided_padding", "convolutions", "padding", "pooling")
OPTIMIZERS = {
    "adam_epsilon": "Adam",
    "rmsprop_epsilon": "RMSprop",
    "sgd_momentum": "SGD",
    "adadelta_epsilon": "Adadelta",
}
EXPLAINING = ("recurrent_layers", "dropout")  # differences that make a step several times longer
DECIDING = (*EXPLAINING, "convolutions")  # differences that a network's page explains its times by


def by_framework() -> dict[str, list[Environment]]:
    """Return each framework's environments by its name, in alphabetical order."""
    return grouped(registry.environments().values(), lambda environment: environment.framework)


def answering(workload: str) -> list[list[Environment]]:
    """Return the environments of each framework that has a model file for a workload."""
    return [own for own in by_framework().values() if any(registry.answers(each, workload) for each in own)]


def is_of_today(environments: Iterable[Environment]) -> bool:
    """Return whether one of the environments is measured by default."""
    return any(environment.is_default for environment in environments)


def framework_title(environments: Sequence[Environment]) -> str:
    """Return the words that the titles of a framework's environments begin with, without a last "on"."""
    columns = zip(*(each.title.split() for each in environments), strict=False)
    shared = [words[0] for words in itertools.takewhile(lambda words: len(set(words)) == 1, columns)]
    kept = shared[:-1] if len(environments) > 1 and shared[-1:] == ["on"] else shared
    return " ".join(kept) or environments[0].framework


def dated_title(environments: Sequence[Environment]) -> str:
    """Return a framework's title, with the years of its releases where none of it is measured by default."""
    title = framework_title(environments)
    years = sorted({each.released[:4] for each in environments if each.released})
    if is_of_today(environments) or not years:
        return title
    return f"{title} ({years[0]})" if len(years) == 1 else f"{title} ({years[0]} to {years[-1]})"


def stated() -> list[str]:
    """Return the keys of what differs in the order in which frameworks first name them."""
    return list(dict.fromkeys(key for environment in registry.environments().values() for key in environment.differs))


def matters(key: str, name: str) -> bool:
    """Say whether a difference between frameworks touches a workload, by what is stated: weights and optimisers.

    What nothing stated decides, such as how the host waits, always does.
    """
    return _touched(name).get(key, True)


@functools.cache
def _touched(name: str) -> dict[str, bool]:
    """Return whether each of the differences that a workload's statement decides touches it."""
    problem = registry.workload(name)
    weights: dict[str, Outline] = problem.weights(Outline())
    kernels = [value.shape for leaf, value in weights.items() if leaf.endswith(".recurrent_kernel")]
    has_images = any(leaf.endswith(".kernel") and len(value.shape) == 4 for leaf, value in weights.items())
    is_normed, drops = any(leaf.endswith(".mean") for leaf in weights), bool(problem.DROPOUT)
    optimizers = {type(each).__name__ for each in problem.OPTIMIZERS.values()}
    return {
        **dict.fromkeys(OF_IMAGES, has_images),
        **{key: any(outputs == gates * units for units, outputs in kernels) for key, gates in GATES.items()},
        **{key: optimizer in optimizers for key, optimizer in OPTIMIZERS.items()},
        "recurrent_layers": bool(kernels), "batch_norm": is_normed, "training_flag": is_normed or drops,
        "dropout": drops, "labels": problem.LOSS == SOFTMAX_CROSS_ENTROPY, "loss": problem.LOSS is not None,
    }  # fmt: skip


def causes(workload: str, environments: Collection[str]) -> list[str]:
    """Return what explains times of a workload: a sentence for each difference that these environments' files state."""
    keys = [key for key in EXPLAINING if registry.has_workload(workload) and matters(key, workload)]
    return [sentence for key in keys if (sentence := cause(key, environments))]


def cause(key: str, environments: Collection[str]) -> str:
    """Return what the files of some environments' frameworks state of a difference, as a sentence, or nothing."""
    shown = [own for own in by_framework().values() if any(each.name in environments for each in own)]
    told = "; ".join(f"{framework_title(own)}: {own[0].differs[key]}" for own in shown if key in own[0].differs)
    return f"{key.replace('_', ' ').capitalize()} can explain differences. {told}." if told else ""
