"""JAX with Flax NNX: how a model file is run, and how its arrays map to the canonical layout."""

import flax
import jax
import numpy as np
import optax
from flax import nnx

OUT_OF_MEMORY = ()  # JAX raises its general JaxRuntimeError; the worker knows RESOURCE_EXHAUSTED by its text
NORM_LEAVES = {"scale": "scale", "bias": "offset", "mean": "mean", "var": "variance"}
RECURRENT_LEAVES = {
    ("dense_i", "kernel"): "kernel",
    ("dense_h", "kernel"): "recurrent_kernel",
    ("dense_i", "bias"): "bias",
    ("dense_h", "bias"): "recurrent_bias",
}


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
        "cudnn": None,
        "device_name": gpus[0].device_kind if gpus else None,
    }


def peak_memory_bytes():
    gpus = _gpus()
    return gpus[0].memory_stats()["peak_bytes_in_use"] if gpus else None


def _canonical(path, shapes):
    """Return ("stage1.0.conv1.kernel", whether it belongs to a GRU) for a path of nnx.state.

    A GRU is known by its second bias: an LSTM has one, added to the recurrent product.
    """
    parts = [str(part) for part in path if part not in ("layers", "cell")]
    if tuple(parts[-2:]) in RECURRENT_LEAVES:
        layer, leaf = ".".join(parts[:-2]), RECURRENT_LEAVES[tuple(parts[-2:])]
        is_gru = layer + ".recurrent_bias" in shapes
        return "%s.%s" % (layer, leaf if is_gru else leaf.replace("recurrent_bias", "bias")), is_gru
    if "norm" in parts[-2]:
        return ".".join(parts[:-1] + [NORM_LEAVES[parts[-1]]]), False
    return ".".join(parts[:-1] + [{"embedding": "table"}.get(parts[-1], parts[-1])]), False


def _swap_gates(columns):
    """Exchange the first two of three blocks of columns: Flax orders a GRU's gates r, z, h; the canon is z, r, h."""
    first, second, candidate = np.split(columns, 3, axis=-1)
    return np.concatenate([second, first, candidate], axis=-1)


def _named(state, shapes):
    """Return {canonical name: array in canonical layout} of an nnx state."""
    named = {}
    for path, variable in nnx.to_flat_state(state):
        name, is_gru = _canonical(path, shapes)
        value = np.asarray(variable[...])
        named[name] = _swap_gates(value) if is_gru else value.reshape(shapes[name])
    return named


def _gradients_and_outputs(loss_of, trained):
    """Return a jitted function of the model and a batch that gives ((loss, outputs), gradients of what is trained)."""

    def objective(model, inputs, y):
        outputs = model(*inputs)
        return loss_of(outputs, y), outputs

    return nnx.jit(nnx.value_and_grad(objective, argnums=nnx.DiffState(0, trained), has_aux=True))


def _train_step(loss_of, trained):
    """Return the step that Flax's own guide writes: one jitted function of the model, the optimiser and the batch."""
    gradient = nnx.value_and_grad(
        lambda model, inputs, y: loss_of(model(*inputs), y), argnums=nnx.DiffState(0, trained)
    )  # fmt: skip

    @nnx.jit
    def train_step(model, optimizer, inputs, y):
        loss, gradients = gradient(model, inputs, y)
        optimizer.update(model, gradients)
        return loss

    return train_step


def _inference(model):
    """Return a view of the model, sharing its weights, that neither drops out nor moves a batch norm's statistics."""
    return nnx.view(model, raise_if_not_found=False, deterministic=True, use_running_average=True)


@nnx.jit
def _forward(model, inputs):
    return model(*inputs)


@nnx.jit
def _forward_sum(model, inputs):
    return model(*inputs).sum()


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer):
        self.model = source.Model(rngs=nnx.Rngs(0))
        self.shapes = {}
        if task == "train":
            self.model.train()
            self.trained = getattr(source, "TRAINED", nnx.Param)  # a model file may freeze a part
            self.rule = source.OPTIMIZERS[optimizer]()
            self.optimizer = nnx.Optimizer(self.model, self.rule, wrt=self.trained)
            self.train_step = _train_step(source.loss, self.trained)
            self.gradient = _gradients_and_outputs(source.loss, self.trained)
            self.step = self._train
        else:
            self.model.eval()
            self.step = self._infer

    def _weights(self):
        return nnx.state(self.model, (nnx.Param, nnx.BatchStat))

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        state = self._weights()
        for path, variable in nnx.to_flat_state(state):
            name, is_gru = _canonical(path, self.shapes)
            value = _swap_gates(weights[name]) if is_gru else weights[name].reshape(variable.shape)
            variable[...] = jax.numpy.asarray(value)
        nnx.update(self.model, state)

    def weights(self):
        return _named(self._weights(), self.shapes)

    def without_dropout(self):
        for _, module in nnx.iter_modules(self.model):
            if isinstance(module, nnx.Dropout):
                module.rate = 0.0

    def scale_learning_rate(self, factor):
        scaled = optax.chain(self.rule, optax.scale(factor))  # every optimiser's last act is to scale by its rate
        self.optimizer = nnx.Optimizer(self.model, scaled, wrt=self.trained)

    def place(self, x, y):
        return jax.device_put(x if isinstance(x, tuple) else (x,)), jax.device_put(y)

    def gradients(self, batch):
        (loss, outputs), gradients = self.gradient(self.model, *batch)
        return np.asarray(outputs), float(loss), _named(gradients, self.shapes)

    def outputs(self, batch):
        return np.asarray(_forward(_inference(self.model), batch[0]))

    def _train(self, batch):
        return self.train_step(self.model, self.optimizer, *batch)

    def _infer(self, batch):
        return _forward_sum(self.model, batch[0])

    def wait(self, handle):
        return float(handle)
