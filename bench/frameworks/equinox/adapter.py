"""Equinox: how a model file is run, and how its arrays map to the canonical layout.

A model works on one example, as Equinox's guides write it, and `jax.vmap` on a batch.
"""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from bench import compiling
from bench.errors import Unsupported

OUT_OF_MEMORY = ()  # JAX raises its general JaxRuntimeError; the worker knows RESOURCE_EXHAUSTED by its text
LEAVES = {"weight": "kernel", "bias": "bias"}


def devices():
    return ["cpu"]


def configure(device, threads, precision):
    if device != "cpu":
        raise Unsupported("This adapter runs on the CPU only.")
    jax.config.update("jax_default_matmul_precision", "highest")


def loaded():
    return {"equinox": eqx.__version__, "jax": jax.__version__, "optax": optax.__version__}


def peak_memory_bytes():
    return None


def what_compiled(program):
    return compiling.held("the whole step, by XLA", [program.compiled._cached], "_cache_size")


def _named(model):
    """Return {canonical name: array} of a model, whose kernels have outputs first."""
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(model, eqx.is_array))
    names = [[part.name for part in path] for path, _ in leaves]
    return {".".join([*layers, LEAVES[leaf]]): array for (*layers, leaf), (_, array) in zip(names, leaves)}


def _canonical(named):
    return {
        name: np.asarray(value).T if name.endswith("kernel") else np.asarray(value) for name, value in named.items()
    }


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer, x):
        self.source, self.rate = source, 1.0
        self.model = source.Model(key=jax.random.key(0))
        self.transform = source.OPTIMIZERS[optimizer]() if task == "train" else None
        self.compiled = eqx.filter_jit(self._train_step if self.transform else _infer_step)
        self.state = self.transform and self.transform.init(eqx.filter(self.model, eqx.is_array))
        self.step = self._train if self.transform else self._infer

    def load(self, weights):
        new = [weights[name].T if name.endswith("kernel") else weights[name] for name in _named(self.model)]
        arrays, rest = eqx.partition(self.model, eqx.is_array)
        structure = jax.tree_util.tree_structure(arrays)
        self.model = eqx.combine(jax.tree_util.tree_unflatten(structure, map(jnp.array, new)), rest)
        self.state = self.transform and self.transform.init(eqx.filter(self.model, eqx.is_array))

    def weights(self):
        return _canonical(_named(self.model))

    def without_dropout(self):
        self.model = eqx.nn.inference_mode(self.model)

    def scale_learning_rate(self, factor):
        self.rate = factor

    def place(self, x, y):
        return jax.device_put((x, y))

    def outputs(self, batch):
        return np.asarray(_outputs(self.model, batch[0]))

    def gradients(self, batch):
        (loss, outputs), gradients = _gradients(self.source.loss, self.model, *batch)
        return np.asarray(outputs), float(loss), _canonical(_named(gradients))

    def _train_step(self, model, state, x, y):
        """Return the new model and state, and the loss, as the guides write a step."""
        loss, gradients = eqx.filter_value_and_grad(lambda model: self.source.loss(jax.vmap(model)(x), y))(model)
        updates, state = self.transform.update(gradients, state, eqx.filter(model, eqx.is_array))
        updates = jax.tree_util.tree_map(lambda update: self.rate * update, updates)
        return eqx.apply_updates(model, updates), state, loss

    def _train(self, batch):
        self.model, self.state, loss = self.compiled(self.model, self.state, *batch)
        return loss

    def _infer(self, batch):
        return self.compiled(self.model, batch[0])

    def wait(self, handle):
        return float(handle)


@eqx.filter_jit
def _outputs(model, x):
    return jax.vmap(model)(x)


def _infer_step(model, x):
    return jax.vmap(model)(x).sum()


@eqx.filter_jit
def _gradients(loss_of, model, x, y):
    def objective(model):
        outputs = jax.vmap(model)(x)
        return loss_of(outputs, y), outputs

    return eqx.filter_value_and_grad(objective, has_aux=True)(model)
