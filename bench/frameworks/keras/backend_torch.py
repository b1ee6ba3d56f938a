"""Keras 3 on PyTorch: devices, precision, memory and gradients."""

import contextlib

import keras
import torch

OUT_OF_MEMORY = (torch.OutOfMemoryError,)
JIT_COMPILE = True  # torch.compile; the default "auto" means eager on this backend
_scope = contextlib.ExitStack()


def devices():
    return (["gpu"] if torch.cuda.is_available() else []) + ["cpu"]


def configure(device, threads, precision):
    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    _scope.enter_context(keras.device(device))  # for the whole process: the default device has no setter
    # Matrix products default to full float32 and cuDNN convolutions to TF32: both are written out.
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"


def loaded():
    return {
        "torch": torch.__version__.split("+")[0],
        "cuda": torch.version.cuda,
        "cudnn": str(torch.backends.cudnn.version()) if torch.cuda.is_available() else None,
        "device_name": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
    }


def peak_memory_bytes():
    return torch.cuda.max_memory_allocated() if torch.cuda.is_available() else None


def forward_backward(model, loss):
    """Return a function of (x, y) that gives outputs, loss and the gradients of the trainable variables."""

    def run(x, y):
        outputs = model(x, training=True)
        model.zero_grad()
        value = loss(y, outputs)
        value.backward()
        return outputs.detach(), value.detach(), [variable.value.grad for variable in model.trainable_variables]

    return torch.compile(run) if model.jit_compile else run
