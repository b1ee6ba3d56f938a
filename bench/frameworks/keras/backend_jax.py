"""Keras 3 on JAX: devices, precision, memory, gradients, and the training loop of its guide."""

import itertools

import jax
import jax.extend
import keras

from bench import compiling

OUT_OF_MEMORY = ()  # JAX raises its general JaxRuntimeError; the worker knows RESOURCE_EXHAUSTED by its text


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
        "cuda": jax.extend.backend.get_backend("gpu").platform_version if gpus else None,
        "device_name": gpus[0].device_kind if gpus else None,
    }


def peak_memory_bytes():
    gpus = _gpus()
    return gpus[0].memory_stats()["peak_bytes_in_use"] if gpus else None


def forget_peak():
    """Do nothing: JAX's allocator keeps its peak."""


def what_compiled(step, _):
    return compiling.held("the whole step, by XLA", [step], "_cache_size")


def forward_backward(model, loss):
    """Return a function of (x, y) that gives outputs, loss and the gradients of the trainable variables."""

    def loss_and_outputs(trainable, non_trainable, x, y):
        outputs, _ = model.stateless_call(trainable, non_trainable, x, training=True)
        return loss(y, outputs), outputs

    compute = jax.value_and_grad(loss_and_outputs, has_aux=True)
    compute = compute if model.run_eagerly else jax.jit(compute)

    def run(x, y):
        trainable = [variable.value for variable in model.trainable_variables]
        non_trainable = [variable.value for variable in model.non_trainable_variables]
        (value, outputs), gradients = compute(trainable, non_trainable, x, y)
        return outputs, value, gradients

    return run


def jit_compile(model, is_asked):
    return True  # what "auto" means on JAX


def prepared(optimizer):
    return optimizer


tensor = keras.ops.convert_to_tensor


def endless(batch):
    """Return what fit takes: a generator of one batch, again and again."""
    return (each for each in itertools.repeat(batch))


class Loop:
    """The loop of "Writing a training loop from scratch in JAX": state goes into a step and comes out of it."""

    def __init__(self, model, loss_fn):
        self.model = model
        self.state = self.weights = None  # taken by the next step
        self.compute = jax.jit(self._forward)
        if loss_fn:
            model.optimizer.build(model.trainable_variables)
            self.train_step = _train_step(model, loss_fn)
            self.train_step = self.train_step if model.run_eagerly else jax.jit(self.train_step)

    def _variables(self):
        return self.model.trainable_variables, self.model.non_trainable_variables, self.model.optimizer.variables

    def step(self, batch):
        if self.state is None:
            self.state = tuple([variable.value for variable in each] for each in self._variables())
        loss, self.state = self.train_step(self.state, *batch)
        return loss

    def sync(self):
        """Copy the state into the model; the next step reads it from there again."""
        for variables, values in zip(self._variables() if self.state else (), self.state or ()):
            for variable, value in zip(variables, values):
                variable.assign(value)
        self.state = self.weights = None

    def _forward(self, trainable, non_trainable, x):
        return self.model.stateless_call(trainable, non_trainable, x, training=False)[0].sum()

    def forward(self, batch):
        if self.weights is None:
            groups = self.model.trainable_variables, self.model.non_trainable_variables
            self.weights = [[variable.value for variable in each] for each in groups]
        return self.compute(*self.weights, batch[0])


def _train_step(model, loss_fn):
    def compute_loss_and_updates(trainable, non_trainable, x, y):
        predicted, non_trainable = model.stateless_call(trainable, non_trainable, x, training=True)
        return loss_fn(y, predicted), non_trainable

    gradient = jax.value_and_grad(compute_loss_and_updates, has_aux=True)

    def train_step(state, x, y):
        trainable, non_trainable, of_optimizer = state
        (loss, non_trainable), gradients = gradient(trainable, non_trainable, x, y)
        trainable, of_optimizer = model.optimizer.stateless_apply(of_optimizer, gradients, trainable)
        return loss, (trainable, non_trainable, of_optimizer)

    return train_step
