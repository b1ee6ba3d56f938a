"""Keras 3 on JAX: devices, precision, memory and gradients."""

import jax

OUT_OF_MEMORY = ()  # JAX raises its general JaxRuntimeError; the worker knows RESOURCE_EXHAUSTED by its text
JIT_COMPILE = "auto"  # the default: jax.jit


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
        "cudnn": None,
        "device_name": gpus[0].device_kind if gpus else None,
    }


def peak_memory_bytes():
    gpus = _gpus()
    return gpus[0].memory_stats()["peak_bytes_in_use"] if gpus else None


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
