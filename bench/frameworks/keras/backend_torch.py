"""Keras 3 on PyTorch: devices, precision, memory, gradients, and the training loop of its guide."""

import contextlib
import itertools

import keras
import torch

from bench import compiling

OUT_OF_MEMORY = (torch.OutOfMemoryError,)
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


def forget_peak():
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()


def what_compiled(_, is_asked):
    if not is_asked:
        return None
    counters = torch._dynamo.utils.counters
    graphs = counters["stats"]["unique_graphs"] if counters["inductor"] else 0
    return compiling.in_words("the step, by torch.compile", graphs)


def forward_backward(model, loss):
    """Return a function of (x, y) that gives outputs, loss and the gradients of the trainable variables."""

    def run(x, y):
        outputs = model(x, training=True)
        model.zero_grad()
        value = loss(y, outputs)
        value.backward()
        return outputs.detach(), value.detach(), [variable.value.grad for variable in model.trainable_variables]

    return run


def jit_compile(model, is_asked):
    return False  # what "auto" means on PyTorch; with torch.compile ResNet50's parity took ten times as long


def prepared(optimizer):
    return optimizer


tensor = keras.ops.convert_to_tensor


def endless(batch):
    """Return what fit takes: a generator of one batch, again and again."""
    return (each for each in itertools.repeat(batch))


class Loop:
    """The loop of "Writing a training loop from scratch in PyTorch", with Keras' loss and optimiser."""

    def __init__(self, model, loss_fn):
        self.model = model
        self.loss_fn = loss_fn

    def step(self, batch):
        x, y = batch
        loss = self.loss_fn(y, self.model(x, training=True))
        self.model.zero_grad()
        loss.backward()
        weights = self.model.trainable_weights
        gradients = [weight.value.grad for weight in weights]
        with torch.no_grad():
            self.model.optimizer.apply(gradients, weights)
        return loss

    def forward(self, batch):
        with torch.no_grad():
            return self.model(batch[0], training=False).sum()

    def sync(self):
        """Do nothing: a step works on the model's own variables."""
