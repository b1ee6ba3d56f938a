"""JAX with Flax NNX: how a model file is run, and how its arrays map to the canonical layout."""

from types import SimpleNamespace

import flax
import jax
import jax.extend
import numpy as np
import optax
from flax import nnx

from bench import compiling

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
        "device_name": gpus[0].device_kind if gpus else None,
    }


def peak_memory_bytes():
    gpus = _gpus()
    return gpus[0].memory_stats()["peak_bytes_in_use"] if gpus else None


def what_compiled(program):
    functions = [program.train_objects if hasattr(program, "trained") else _forward_sum]
    if program.is_split:
        functions = [program.split.run] if program.split else []
    return compiling.held("the whole step, by XLA", functions, "_cache_size")


def mixed(source):
    """Return a model file whose layers compute in bfloat16 (`dtype=jnp.bfloat16`); weights stay float32."""

    class Model(source.Model):
        def __init__(self, *, rngs):
            super().__init__(rngs=rngs)
            for _, module in nnx.iter_modules(self):
                if hasattr(module, "dtype"):
                    module.dtype = jax.numpy.bfloat16

        def __call__(self, *inputs):
            return super().__call__(*inputs).astype(jax.numpy.float32)

    return SimpleNamespace(**dict(vars(source), Model=Model))


def _swap_gates(columns):
    """Exchange the first two of three blocks of columns: Flax orders a GRU's gates r, z, h; the canon is z, r, h."""
    first, second, candidate = np.split(columns, 3, axis=-1)
    return np.concatenate([second, first, candidate], axis=-1)


def _train_step(loss_of, argnums):
    """Return the step that Flax's guides write: a function of the model, the optimiser and the batch."""
    gradient = nnx.value_and_grad(lambda model, inputs, y: loss_of(model(*inputs), y), argnums=argnums)

    def train_step(model, optimizer, inputs, y):
        loss, gradients = gradient(model, inputs, y)
        optimizer.update(model, gradients)
        return loss

    return train_step


def _gradients_and_outputs(loss_of, argnums):
    """Return a jitted function of the model and a batch that gives ((loss, outputs), gradients of what is trained)."""

    def objective(model, inputs, y):
        outputs = model(*inputs)
        return loss_of(outputs, y), outputs

    return nnx.jit(nnx.value_and_grad(objective, argnums=argnums, has_aux=True))


def _inference(model):
    """Return a view of the model, sharing its weights, that neither drops out nor moves a batch norm's statistics."""
    return nnx.view(model, raise_if_not_found=False, deterministic=True, use_running_average=True)


@nnx.jit
def _forward(model, inputs):
    return model(*inputs)


def _sum(model, inputs):
    return model(*inputs).sum()


_forward_sum = nnx.jit(_sum)


class Split:
    """The functional loop of Flax's performance guide: objects are split into state once, and merged in tracing.

    What trains passes its state on from step to step, which may use its memory anew; the objects follow in sync().
    """

    def __init__(self, function, objects, trains):
        self.objects = objects
        self.trains = trains
        self.state = None  # taken by the next call

        def run(state, *batch):
            merged = nnx.merge(self.graph, state)
            result = function(*merged, *batch)
            return nnx.state(merged) if trains else None, result

        self.run = jax.jit(run, donate_argnums=0 if trains else ())

    def __call__(self, *batch):
        if self.state is None:
            self.graph, self.state = nnx.split(self.objects)
        state, result = self.run(self.state, *batch)
        if self.trains:
            self.state = state
        return result

    def sync(self):
        """Copy the state into the objects; the next call reads it from them again."""
        if self.state is not None and self.trains:
            nnx.update(self.objects, self.state)
        self.state = None


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer, _):
        self.source = source
        self.model = source.Model(rngs=nnx.Rngs(0))
        self.shapes = {}
        self.split = None
        self.is_split = mode == "jit"  # else `nnx_jit`: nnx.jit, which follows the objects from call to call
        self.step = self._train if task == "train" else self._infer
        if task == "train":
            self.model.train()
            self.trained = getattr(source, "TRAINED", nnx.Param)
            argnums = nnx.DiffState(0, self.trained) if hasattr(source, "TRAINED") else 0  # a model file froze a part
            self.rule = source.OPTIMIZERS[optimizer]()
            self.optimizer = nnx.Optimizer(self.model, self.rule, wrt=self.trained)
            self.train_step = _train_step(source.loss, argnums)
            self.train_objects = nnx.jit(self.train_step)
            self.gradient = _gradients_and_outputs(source.loss, argnums)
        else:
            self.model.eval()

    def _sync(self):
        if self.split:
            self.split.sync()

    def _names(self, path):
        """Return the canonical names of the parts that an array holds side by side, and whether it is a GRU's.

        A GRU is known by its second bias: an LSTM has one, added to the recurrent product.
        """
        parts = [str(part) for part in path if part not in ("layers", "cell")]
        own = ".".join(parts)
        for suffix, leaves in getattr(self.source, "LEAVES", {}).items():
            if ("." + own).endswith("." + suffix):
                return [own[: -len(suffix)] + leaf for leaf in leaves], False
        if tuple(parts[-2:]) in RECURRENT_LEAVES:
            layer, leaf = ".".join(parts[:-2]), RECURRENT_LEAVES[tuple(parts[-2:])]
            is_gru = layer + ".recurrent_bias" in self.shapes
            return ["%s.%s" % (layer, leaf if is_gru else leaf.replace("recurrent_bias", "bias"))], is_gru
        if "norm" in parts[-2]:
            return [".".join(parts[:-1] + [NORM_LEAVES[parts[-1]]])], False
        return [".".join(parts[:-1] + [{"embedding": "table"}.get(parts[-1], parts[-1])])], False

    def _canonical(self, state):
        """Return {canonical name: array in canonical layout} of an nnx state."""
        found = {}
        for path, variable in nnx.to_flat_state(state):
            names, is_gru = self._names(path)
            value = np.array(variable[...])  # a copy: on the CPU it may share memory that a step uses anew
            value = _swap_gates(value) if is_gru else value
            parts = [value] if len(names) == 1 else np.split(value, len(names), axis=-1)
            found.update({name: part.reshape(self.shapes[name]) for name, part in zip(names, parts)})
        return found

    def _weights(self):
        self._sync()
        return nnx.state(self.model, (nnx.Param, nnx.BatchStat))

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        state = self._weights()
        for path, variable in nnx.to_flat_state(state):
            names, is_gru = self._names(path)
            value = np.concatenate([weights[name] for name in names], axis=-1)
            variable[...] = jax.numpy.asarray((_swap_gates(value) if is_gru else value).reshape(variable.shape))
        nnx.update(self.model, state)

    def weights(self):
        return self._canonical(self._weights())

    def without_dropout(self):
        for _, module in nnx.iter_modules(self.model):
            if isinstance(module, nnx.Dropout):
                module.rate = 0.0
            elif isinstance(module, nnx.MultiHeadAttention):
                module.dropout_rate = 0.0

    def scale_learning_rate(self, factor):
        scaled = optax.chain(self.rule, optax.scale(factor))  # every optimiser's last act is to scale by its rate
        self.optimizer = nnx.Optimizer(self.model, scaled, wrt=self.trained)

    def place(self, x, y):
        return jax.device_put(x if isinstance(x, tuple) else (x,)), jax.device_put(y)

    def gradients(self, batch):
        self._sync()
        (loss, outputs), gradients = self.gradient(self.model, *batch)
        return np.asarray(outputs), float(loss), self._canonical(gradients)

    def outputs(self, batch):
        self._sync()
        return np.asarray(_forward(_inference(self.model), batch[0]))

    def _train(self, batch):
        if not self.is_split:
            return self.train_objects(self.model, self.optimizer, *batch)
        self.split = self.split or Split(self.train_step, (self.model, self.optimizer), trains=True)
        return self.split(*batch)

    def _infer(self, batch):
        if not self.is_split:
            return _forward_sum(self.model, batch[0])
        self.split = self.split or Split(_sum, (self.model,), trains=False)
        return self.split(batch[0])

    def wait(self, handle):
        return float(handle)
