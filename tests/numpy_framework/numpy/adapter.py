"""The perceptron of mnist_mlp with its gradients worked out by hand: an answer that owes nothing to any framework."""

import os
import time
from types import SimpleNamespace

import numpy as np

from bench.errors import Unsupported

OUT_OF_MEMORY = (MemoryError,)
process = SimpleNamespace(bits=23)  # of the fraction of what products take
STEP_S = 0.005  # of which a measured step sleeps at least: a busy machine lengthens a sleep by less than a product
FAILS_AT_STEP = 5  # when measured; parity, which asks for no dropout, passes, so that a failing mode gets that far


def devices():
    """Return a GPU where a test says that there is one, unless a process is not to see it."""
    sees = os.environ.get("NUMPY_GPU") and os.environ.get("CUDA_VISIBLE_DEVICES") != ""
    return ["gpu", "cpu"] if sees else ["cpu"]


def configure(device, _, precision):
    process.bits = 10 if (device, precision) == ("gpu", "tf32") else 23


def loaded():
    return {"numpy": np.__version__, "cuda": None, "cudnn": None, "device_name": None}


def peak_memory_bytes():
    return None


def mixed(source):
    """Let products take numbers of as many fraction bits as bfloat16 has, or as a test says."""
    return SimpleNamespace(**dict(vars(source), FRACTION_BITS=int(os.environ.get("FRACTION_BITS", "7"))))


def _rounded(values, bits):
    if bits == 23:
        return values
    lost = 23 - bits
    return ((values.view(np.uint32) + (1 << (lost - 1))) >> lost << lost).view(np.float32)


class Program:
    def __init__(self, source, task, mode, optimizer, x):
        if mode == "unsupported":
            raise Unsupported("this mode is never supported")
        self.layers = source.LAYERS
        self.bits = getattr(source, "FRACTION_BITS", process.bits)
        self.rate = source.DROPOUT if task == "train" else 0.0
        self.run_step = self._train if task == "train" else self._infer
        self.mode = mode
        self.random = np.random.RandomState(7)
        self.epsilon = 1e-2 if os.environ.get("PLANTED_BUG") else 1e-10
        self.steps = 0
        self.proves_parity = False
        self.learning_rate = 1e-3

    def step(self, batch):
        if not self.proves_parity:
            time.sleep(STEP_S)
        return self.run_step(batch)

    def load(self, weights):
        names = [layer + part for layer in self.layers for part in (".kernel", ".bias")]
        self.values = {name: weights[name].copy() for name in names}
        self.squares = {name: np.zeros_like(value) for name, value in weights.items()}

    def weights(self):
        return {name: value.copy() for name, value in self.values.items()}

    def without_dropout(self):
        self.rate = 0.0
        self.proves_parity = True

    def scale_learning_rate(self, factor):
        self.learning_rate *= factor

    def outputs(self, batch):
        rate, self.rate = self.rate, 0.0
        outputs = self._forward(batch[0])[0][-1]
        self.rate = rate
        return outputs

    def place(self, x, y):
        return x, y

    def wait(self, handle):
        return handle

    def _forward(self, x):
        inputs, masks = [x], []
        for name in self.layers:
            kernel = _rounded(self.values[name + ".kernel"], self.bits)
            x = _rounded(inputs[-1], self.bits) @ kernel + self.values[name + ".bias"]
            if name != self.layers[-1]:
                mask = (x > 0) * (self.random.uniform(size=x.shape) >= self.rate) / (1 - self.rate)
                masks.append(mask.astype(np.float32))
                x = x * masks[-1]
            inputs.append(x)
        return inputs, masks

    def gradients(self, batch):
        x, y = batch
        inputs, masks = self._forward(x)
        logits = inputs.pop()
        shifted = logits - logits.max(1, keepdims=True)
        log_p = shifted - np.log(np.exp(shifted).sum(1, keepdims=True))
        delta = (np.exp(log_p) - np.eye(logits.shape[1], dtype=np.float32)[y]) / len(y)
        gradients = {}
        for name in reversed(self.layers):
            gradients[name + ".kernel"] = inputs[-1].T @ delta
            gradients[name + ".bias"] = delta.sum(0)
            inputs.pop()
            if masks:
                delta = (delta @ self.values[name + ".kernel"].T) * masks.pop()
        return logits, float(-log_p[np.arange(len(y)), y].mean()), gradients

    def _train(self, batch):
        self.steps += not self.proves_parity
        if self.mode == "idle" and self.steps:
            return 2.3
        if self.steps >= FAILS_AT_STEP:
            self._fail()
        _, loss, gradients = self.gradients(batch)
        for name, gradient in gradients.items():
            self.squares[name] = 0.9 * self.squares[name] + 0.1 * gradient**2
            self.values[name] -= self.learning_rate * gradient / (np.sqrt(self.squares[name]) + self.epsilon)
        return float("nan") if self.mode == "nan" and self.steps >= FAILS_AT_STEP else loss

    def fit(self, x, y, batch_size):
        starts = range(0, len(y) - batch_size + 1, batch_size)
        return float(np.mean([self.step((x[start:][:batch_size], y[start:][:batch_size])) for start in starts]))

    def _fail(self):
        """Fail as a framework of faults does whose modes are faults (tests/faults/frameworks)."""

    def _infer(self, batch):
        return float(self._forward(batch[0])[0][-1].sum())
