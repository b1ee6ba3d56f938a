"""JAX with Flax Linen: how a model file is run, and how its arrays map to the canonical layout."""

import re
from functools import partial
from typing import Any

import flax
import jax
import jax.extend
import numpy as np
import optax
from flax import linen as nn
from flax.training import train_state
from flax.traverse_util import flatten_dict, unflatten_dict

from bench import compiling

OUT_OF_MEMORY = ()  # JAX raises its general JaxRuntimeError; the worker knows RESOURCE_EXHAUSTED by its text
LEAVES = {"embedding": "table"}
NORM_LEAVES = {"scale": "scale", "bias": "offset", "mean": "mean", "var": "variance"}
LSTM, GRU = "ifgo", "zrn"  # Flax's names of the gates, in canonical order; a cell's layer is a side and a gate: `hn`
GATES = {side + gate: (side, cell) for cell in (LSTM, GRU) for gate in cell for side in "ih"}
RECURRENT_LEAVES = {
    ("i", "kernel"): "kernel",
    ("h", "kernel"): "recurrent_kernel",
    ("i", "bias"): "bias",
    ("h", "bias"): "recurrent_bias",
}


class TrainState(train_state.TrainState):
    """Flax's state of training, with what else a step needs: batch norms' statistics, and dropout's key."""

    statistics: Any
    key: jax.Array


def _gpus():
    try:
        return jax.devices("gpu")
    except RuntimeError:
        return []


def devices():
    return (["gpu"] if _gpus() else []) + ["cpu"]


def configure(device, threads, precision):
    # XLA sizes its thread pool by the cores this process may use: the worker has already limited them to `threads`.
    jax.config.update("jax_default_device", _gpus()[0] if device == "gpu" else jax.devices("cpu")[0])
    jax.config.update("jax_default_matmul_precision", "tensorfloat32" if precision == "tf32" else "highest")


def loaded():
    gpus = _gpus()
    return {
        "jax": jax.__version__,
        "flax": flax.__version__,
        "optax": optax.__version__,
        "cuda": jax.extend.backend.get_backend("gpu").platform_version if gpus else None,
        "device_name": gpus[0].device_kind if gpus else None,
    }


def peak_memory_bytes():
    gpus = _gpus()
    return gpus[0].memory_stats()["peak_bytes_in_use"] if gpus else None


def what_compiled(program):
    function = program.train_step if program.step == program._train else _forward_sum
    return compiling.held("the whole step, by XLA", [function], "_cache_size")


def _canonical_place(path):
    """Return the canonical name of an array, and its place (index, count) among the gates that the name stacks."""
    *layers, layer, leaf = [re.sub(r"_(\d+)$", r".\1", part) for part in path]  # Flax names a list's items `stage1_0`
    if layer in GATES:
        side, cell = GATES[layer]
        leaf = "bias" if cell == LSTM and leaf == "bias" else RECURRENT_LEAVES[side, leaf]  # an LSTM has one bias
        return ".".join([*layers, leaf]), (cell.index(layer[1:]), len(cell))
    leaves = NORM_LEAVES if "norm" in layer else LEAVES
    return ".".join([*layers, layer, leaves.get(leaf, leaf)]), (0, 1)


@partial(jax.jit, static_argnums=0)
def _initial(model, inputs):
    return model.init(jax.random.key(0), *inputs, train=False)


def _value_and_gradients(loss_of, state, inputs, y):
    """Return ((loss, (outputs, statistics)), gradients) of a batch in training mode, as Flax's guides write it."""
    key = jax.random.fold_in(state.key, state.step)

    def objective(params):
        outputs, statistics = state.apply_fn(
            {"params": params, **state.statistics}, *inputs, train=True,
            rngs={"dropout": key}, mutable=list(state.statistics),
        )  # fmt: skip
        return loss_of(outputs, y), (outputs, statistics)

    return jax.value_and_grad(objective, has_aux=True)(state.params)


def _train_step(loss_of):
    """Return a jitted step: a function of the state and a batch that returns the next state and the loss."""

    def train_step(state, inputs, y):
        (loss, (_, statistics)), gradients = _value_and_gradients(loss_of, state, inputs, y)
        return state.apply_gradients(grads=gradients, statistics=statistics), loss

    return jax.jit(train_step, donate_argnums=0)


@jax.jit
def _forward(state, inputs):
    return state.apply_fn({"params": state.params, **state.statistics}, *inputs, train=False)


@jax.jit
def _forward_sum(state, inputs):
    return _forward(state, inputs).sum()


def _skip_dropout(call, args, kwargs, context):
    """Return what dropout is given, and of all other layers what they return: an interceptor of Flax's."""
    return args[0] if isinstance(context.module, nn.Dropout) else call(*args, **kwargs)


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer, x):
        self.source = source
        self.shapes = {}
        self.step = self._train if task == "train" else self._infer
        self.rule = source.OPTIMIZERS[optimizer]() if task == "train" else optax.identity()
        self.train_step = _train_step(source.loss)
        self.gradient = jax.jit(partial(_value_and_gradients, source.loss))
        model = source.Model()
        inputs, _ = self.place(x, None)
        statistics = _initial(model, inputs)
        params = statistics.pop("params")
        state = TrainState.create(
            apply_fn=model.apply, params=params, tx=self.rule, statistics=statistics, key=jax.random.key(1)
        )
        self.state = jax.device_put(state)  # the step counter as well, which Flax starts as a Python number

    def variables(self):
        return {"params": self.state.params, **self.state.statistics}

    def _canonical(self, tree):
        """Return {canonical name: array in canonical layout} of a tree of parameters or statistics."""
        gates = {}
        for path, value in flatten_dict(tree).items():
            name, (index, count) = _canonical_place(path)
            gates.setdefault(name, [None] * count)[index] = np.array(value)  # a copy: a step uses its memory anew
        return {name: np.concatenate(parts, axis=-1).reshape(self.shapes[name]) for name, parts in gates.items()}

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}

        def canonical(path, value):
            name, (index, count) = _canonical_place(path)
            part = np.split(weights[name], count, axis=-1)[index]
            return jax.numpy.asarray(part.reshape(value.shape))

        def filled(tree):
            return unflatten_dict({path: canonical(path, value) for path, value in flatten_dict(tree).items()})

        statistics = {name: filled(tree) for name, tree in self.state.statistics.items()}
        self.state = self.state.replace(params=filled(self.state.params), statistics=statistics)

    def weights(self):
        return {name: value for tree in self.variables().values() for name, value in self._canonical(tree).items()}

    def without_dropout(self):
        self.state = self.state.replace(apply_fn=nn.intercept_methods(_skip_dropout)(self.state.apply_fn))

    def scale_learning_rate(self, factor):
        scaled = optax.chain(self.rule, optax.scale(factor))  # every optimiser's last act is to scale by its rate
        self.state = self.state.replace(tx=scaled, opt_state=scaled.init(self.state.params))

    def place(self, x, y):
        return jax.device_put(x if isinstance(x, tuple) else (x,)), jax.device_put(y)

    def gradients(self, batch):
        (loss, (outputs, _)), gradients = self.gradient(self.state, *batch)
        trained = getattr(self.source, "TRAINED", gradients)  # a model file froze the rest
        return np.asarray(outputs), float(loss), self._canonical({name: gradients[name] for name in trained})

    def outputs(self, batch):
        return np.asarray(_forward(self.state, batch[0]))

    def _train(self, batch):
        self.state, loss = self.train_step(self.state, *batch)
        return loss

    def _infer(self, batch):
        return _forward_sum(self.state, batch[0])

    def wait(self, handle):
        return float(handle)
