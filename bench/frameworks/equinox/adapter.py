"""JAX with Equinox: how a model file is run, and how its arrays map to the canonical layout.

A model file is written for one example, with channels first: `model(*inputs, state, key)` returns its output and the
new state. `jax.vmap` makes the batch.
"""

import equinox as eqx
import jax
import jax.extend
import numpy as np
import optax

from bench import compiling

OUT_OF_MEMORY = ()  # JAX raises its general JaxRuntimeError; the worker knows RESOURCE_EXHAUSTED by its text
LEAVES = {  # what the canon calls an array: the first name that the workload states
    "weight": ("kernel", "table", "scale"),
    "bias": ("bias", "offset"),
    "weight_ih": ("kernel",),
    "weight_hh": ("recurrent_kernel",),
    "bias_hh": ("recurrent_bias",),
}
ATTENTION = {"query_proj": "query", "key_proj": "key", "value_proj": "value", "output_proj": "out"}
AXES = {2: (1, 0), 4: (3, 2, 0, 1)}  # of a canonical kernel: outputs first, then inputs, then space
SETTLED = 2**30  # batches: BatchNorm divides its moving statistics by 1 - momentum**batches, which is then 1


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
        "equinox": eqx.__version__,
        "optax": optax.__version__,
        "cuda": jax.extend.backend.get_backend("gpu").platform_version if gpus else None,
        "device_name": gpus[0].device_kind if gpus else None,
    }


def peak_memory_bytes():
    gpus = _gpus()
    return gpus[0].memory_stats()["peak_bytes_in_use"] if gpus else None


def what_compiled(program):
    function = getattr(program, "train_step", _forward_sum)
    # The jitted function, which holds the executables, is an attribute of what eqx.filter_jit returns.
    return compiling.held("the whole step, by XLA", [getattr(function, "_cached", function)], "_cache_size")


def _forward(model, state, key, inputs):
    """Return the outputs of a batch and the new state; each example has a key of its own for its dropout."""
    in_axes = (0,) * len(inputs) + (None, 0)
    batch_model = jax.vmap(model, axis_name="batch", in_axes=in_axes, out_axes=(0, None))
    return batch_model(*inputs, state, jax.random.split(key, len(inputs[0])))


_forward_compiled = eqx.filter_jit(_forward)


@eqx.filter_jit
def _forward_sum(model, state, key, inputs):
    return _forward(model, state, key, inputs)[0].sum()


def _gradient(loss_of):
    """Return a function of a model and a batch that gives ((loss, (outputs, new state)), gradients)."""

    @eqx.filter_value_and_grad(has_aux=True)
    def compute_loss(model, state, key, inputs, y):
        outputs, state = _forward(model, state, key, inputs)
        return loss_of(outputs, y), (outputs, state)

    return compute_loss


def _train_step(loss_of, optimizer):
    """Return the step that Equinox's examples write."""
    compute_loss = _gradient(loss_of)

    def make_step(model, state, opt_state, key, inputs, y):
        key, step_key = jax.random.split(key)
        (loss, (_, state)), gradients = compute_loss(model, state, step_key, inputs, y)
        updates, opt_state = optimizer.update(gradients, opt_state, eqx.filter(model, eqx.is_inexact_array))
        model = eqx.apply_updates(model, updates)
        return model, state, opt_state, key, loss

    return eqx.filter_jit(make_step)


def _is_norm(node):
    return isinstance(node, eqx.nn.BatchNorm)


def _is_dropout(node):
    return isinstance(node, eqx.nn.Dropout)


def _dropout_rates(model):
    return [node.p for node in jax.tree_util.tree_leaves(model, is_leaf=_is_dropout) if _is_dropout(node)]


def _canonical_path(path):
    """Return a tree's path as the canon writes it, with dots and without the containers of layers."""
    parts = jax.tree_util.keystr(path, simple=True, separator=".").split(".")
    return ".".join(ATTENTION.get(part, part) for part in parts if part != "layers")


def _to_canonical(name, value, shape):
    if not name.endswith("kernel"):
        return value.reshape(shape)
    axes = AXES[len(shape)]
    return value.reshape([shape[axis] for axis in axes]).transpose(np.argsort(axes))


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer, _):
        self.source = source
        model, self.state = eqx.nn.make_with_state(source.Model)(jax.random.key(0))
        self.model = eqx.nn.inference_mode(model, value=task != "train")
        self.key = jax.random.key(1)
        self.shapes = {}
        self.step = self._train if task == "train" else self._infer
        if task == "train":
            self.gradient = eqx.filter_jit(_gradient(source.loss))
            self.rule = source.OPTIMIZERS[optimizer]()
            self._take(self.rule)

    def _take(self, rule):
        self.opt_state = rule.init(eqx.filter(self.model, eqx.is_inexact_array))
        self.train_step = _train_step(self.source.loss, rule)

    def _name(self, path):
        """Return the canonical name of an array of the model."""
        layer, _, leaf = _canonical_path(path).rpartition(".")
        names = ["%s.%s" % (layer, own) for own in LEAVES[leaf]]
        return next((name for name in names if name in self.shapes), names[0])

    def _norms(self):
        """Yield the canonical name and the module of each batch norm."""
        for path, node in jax.tree_util.tree_leaves_with_path(self.model, is_leaf=_is_norm):
            if _is_norm(node):
                yield _canonical_path(path), node

    def _canonical(self, tree):
        """Return {canonical name: array in canonical layout} of a model or its gradients."""
        arrays = jax.tree_util.tree_leaves_with_path(eqx.filter(tree, eqx.is_inexact_array))
        named = [(self._name(path), np.asarray(value)) for path, value in arrays]
        return {name: _to_canonical(name, value, self.shapes[name]) for name, value in named}

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}

        def loaded_array(path, array):
            name = self._name(path)
            value = weights[name].transpose(AXES[weights[name].ndim]) if name.endswith("kernel") else weights[name]
            return jax.numpy.asarray(value.reshape(array.shape))

        arrays, others = eqx.partition(self.model, eqx.is_inexact_array)
        self.model = eqx.combine(jax.tree_util.tree_map_with_path(loaded_array, arrays), others)
        for name, norm in self._norms():
            statistics = weights[name + ".mean"], weights[name + ".variance"]
            self.state = self.state.set(norm.batch_state_index, statistics)
            self.state = self.state.set(norm.batch_counter, jax.numpy.asarray(SETTLED))

    def weights(self):
        found = self._canonical(self.model)
        for name, norm in self._norms():
            mean, variance = self.state.get(norm.batch_state_index)
            found.update({name + ".mean": np.asarray(mean), name + ".variance": np.asarray(variance)})
        return found

    def without_dropout(self):
        self.model = eqx.tree_at(_dropout_rates, self.model, replace_fn=lambda _: 0.0)

    def scale_learning_rate(self, factor):
        self._take(optax.chain(self.rule, optax.scale(factor)))  # every optimiser's last act is to scale by its rate

    def place(self, x, y):
        inputs = x if isinstance(x, tuple) else (x,)
        inputs = tuple(value.transpose(0, 3, 1, 2) if value.ndim == 4 else value for value in inputs)
        return jax.device_put(inputs), jax.device_put(y)

    def gradients(self, batch):
        (loss, (outputs, _)), gradients = self.gradient(self.model, self.state, self.key, *batch)
        return np.asarray(outputs), float(loss), self._canonical(gradients)

    def outputs(self, batch):
        model = eqx.nn.inference_mode(self.model)
        return np.asarray(_forward_compiled(model, self.state, self.key, batch[0])[0])

    def _train(self, batch):
        self.model, self.state, self.opt_state, self.key, loss = self.train_step(
            self.model, self.state, self.opt_state, self.key, *batch
        )
        return loss

    def _infer(self, batch):
        return _forward_sum(self.model, self.state, self.key, batch[0])

    def wait(self, handle):
        return float(handle)
