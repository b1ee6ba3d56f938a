"""An oracle that belongs to no framework: what a network's statement makes of canonical weights, in NumPy alone.

Beside each workload, `bench/oracle/<workload>.py` has

=======  =========================================================================================================
forward  of the layers by their names (`Layers`) and x: the outputs, in training or in inference, without dropout.
         Weights and x come in float64, or in float32 where rounding is to be seen
=======  =========================================================================================================

It is written from the docstring in bench/workloads and the equations of the layers, and from no framework's model file.
What a step costs follows from it as well (bench/costs.py).
"""

import importlib
import math
import os
from typing import Any, Callable, Dict, Optional, Tuple, cast

import numpy as np

from bench import registry
from bench.problem import MEAN_SQUARED_ERROR, SIGMOID_CROSS_ENTROPY, SOFTMAX_CROSS_ENTROPY

FOLDER = os.path.dirname(os.path.abspath(__file__))


def is_known(workload: str) -> bool:
    """Say whether a workload has an oracle."""
    return registry.has_workload(workload) and workload + ".py" in os.listdir(FOLDER)


def forward(workload: str) -> Callable[..., np.ndarray]:
    """Return what makes a workload's outputs of its layers and x."""
    return cast("Callable[..., np.ndarray]", importlib.import_module("bench.oracle." + workload).forward)


def outputs(
    workload: str, weights: Dict[str, np.ndarray], x: Any, is_training: bool = True, dtype: str = "float64"
) -> np.ndarray:
    """Return what a network makes of x, its dropout at rate 0.

    In training, batch norm uses the batch's own statistics where the statement says so.
    """
    exact = {name: value.astype(dtype) for name, value in weights.items()}
    given = [part if part.dtype.kind == "i" else part.astype(dtype) for part in (x if isinstance(x, tuple) else (x,))]
    return forward(workload)(Layers(exact, is_training), tuple(given) if isinstance(x, tuple) else given[0])


def loss(workload: str, weights: Dict[str, np.ndarray], batch: Tuple[Any, np.ndarray]) -> Optional[float]:
    """Return the loss of a training step on a batch (x, y), without dropout; None where there is no oracle or loss."""
    if not is_known(workload) or registry.workload(workload).LOSS is None:
        return None
    return loss_of(workload, outputs(workload, weights, batch[0]), batch[1])


def loss_of(workload: str, outputs: np.ndarray, y: np.ndarray) -> float:
    """Return the loss that a workload states of outputs."""
    return float(LOSSES[registry.workload(workload).LOSS](outputs, y).mean())


def _softmax_cross_entropy(logits, y):
    logits = logits - logits.max(-1, keepdims=True)
    right = np.take_along_axis(logits, y[..., None], -1)[..., 0]
    return np.log(np.exp(logits).sum(-1)) - right


def _sigmoid_cross_entropy(logits, y):
    return np.maximum(logits, 0) - logits * y + np.log1p(np.exp(-np.abs(logits)))


LOSSES = {
    SOFTMAX_CROSS_ENTROPY: _softmax_cross_entropy,
    SIGMOID_CROSS_ENTROPY: _sigmoid_cross_entropy,
    MEAN_SQUARED_ERROR: lambda values, y: (values - y) ** 2,
}


def relu(x):
    """Return x, or 0 where it is below."""
    return np.maximum(x, 0)


def sigmoid(x):
    """Return the logistic function, which no large x overflows."""
    return (1 + np.tanh(x / 2)) / 2


def swish(x):
    """Return x by its own gate (Ramachandran et al. 2017, arXiv:1710.05941)."""
    return x * sigmoid(x)


def gelu(x):
    """Return x by the normal distribution function, as the paper defines it: by the error function."""
    error = np.fromiter(map(math.erf, (x / math.sqrt(2)).ravel().tolist()), x.dtype, x.size)
    return x * (1 + error.reshape(x.shape)) / 2


def softmax(x):
    """Return shares along the last axis."""
    powers = np.exp(x - x.max(-1, keepdims=True))
    return powers / powers.sum(-1, keepdims=True)


def window(size, x, stride, padding):
    """Return x with a margin, and for each place of a window (height, width) the part of x that falls on it.

    `padding` is a number for all four sides, "valid" (none) or "same": as many outputs as strides fit into a side. The
    larger half of an odd margin is at the end.
    """
    sides = [_margin(side, length, stride, padding) for side, length in zip(size, x.shape[1:3])]
    x = np.pad(x, [(0, 0)] + sides + [(0, 0)], "constant")
    high, wide = ((length - side) // stride + 1 for side, length in zip(size, x.shape[1:3]))
    for row in range(size[0]):
        for column in range(size[1]):
            rows, columns = (slice(begin, begin + stride * (count - 1) + 1, stride)
                             for begin, count in ((row, high), (column, wide)))  # fmt: skip
            yield row, column, x[:, rows, columns]


def _margin(side, length, stride, padding):
    if padding != "same":
        return (0, 0) if padding == "valid" else (padding, padding)
    total = max(0, (-(-length // stride) - 1) * stride + side - length)
    return total // 2, total - total // 2


def max_pool(x, size=2, stride=None):
    """Return the largest of each window, without a margin; the stride is the window's size unless given."""
    largest = None
    for _, _, part in window((size, size), x, stride or size, "valid"):
        largest = part if largest is None else np.maximum(largest, part)
    return largest


def average_pool(x, size, stride=None, padding="valid"):
    """Return the mean of each window, of what lies inside the image."""
    total, count = (sum(part for _, _, part in window((size, size), given, stride or size, padding))
                    for given in (x, np.ones_like(x[:1, :, :, :1])))  # fmt: skip
    return total / count


class Layers:
    """Layers by their names in a workload's weights, from their equations.

    Images are (batch, height, width, channels), sequences (batch, steps, width). In training, batch norm uses the
    batch's own statistics.
    """

    def __init__(self, weights, is_training):
        self.weights = weights
        self.is_training = is_training

    def has(self, name):
        """Say whether a weight is stated."""
        return name in self.weights

    def _biased(self, x, name):
        return x + self.weights[name + ".bias"] if self.has(name + ".bias") else x

    def dense(self, x, name):
        """Return x by a kernel; of an image, the kernel of a flattened one."""
        kernel = self.weights[name + ".kernel"]
        if kernel.ndim == 4:
            kernel = kernel.reshape(-1, kernel.shape[-1])
            x = x.reshape(len(x), len(kernel))
        return self._biased(x @ kernel, name)

    def convolution(self, x, name, stride=1, padding="valid", by=np.matmul):
        """Return an image by a kernel, whose place is not mirrored; `by` np.multiply, each channel has its own."""
        kernel = self.weights[name + ".kernel"]
        parts = window(kernel.shape[:2], x, stride, padding)
        return self._biased(sum(by(part, kernel[row, column]) for row, column, part in parts), name)

    def embedding(self, x, name):
        """Return a row of the table for each word."""
        return self.weights[name + ".table"][x]

    def logits(self, x, name):
        """Return x by the table of an embedding."""
        return x @ self.weights[name + ".table"].T

    def batch_norm(self, x, name, epsilon, is_frozen=False):
        """Return x normed over all but its channels, by the moving statistics where it is frozen or no training."""
        if self.is_training and not is_frozen:
            axes = tuple(range(x.ndim - 1))
            mean, variance = x.mean(axes), x.var(axes)
        else:
            mean, variance = self.weights[name + ".mean"], self.weights[name + ".variance"]
        return self._scaled((x - mean) / np.sqrt(variance + epsilon), name)

    def layer_norm(self, x, name, epsilon):
        """Return x normed over its last axis."""
        return self._scaled((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon), name)

    def _scaled(self, x, name):
        scaled = x * self.weights[name + ".scale"] if self.has(name + ".scale") else x
        return scaled + self.weights[name + ".offset"]

    def lstm(self, x, name):
        """Return all outputs (..., steps, units) of an LSTM; gates in the order i, f, g, o."""
        recurrent = self.weights[name + ".recurrent_kernel"]
        inputs = self.dense(x, name)
        state = cell = np.zeros(x.shape[:-2] + recurrent.shape[:1], x.dtype)
        outputs = []
        for step in range(x.shape[-2]):
            i, f, g, o = np.split(inputs[..., step, :] + state @ recurrent, 4, axis=-1)
            cell = sigmoid(f) * cell + sigmoid(i) * np.tanh(g)
            state = sigmoid(o) * np.tanh(cell)
            outputs.append(state)
        return np.stack(outputs, axis=-2)

    def gru(self, x, name, is_reset_before=False):
        """Return the last output (batch, units) of a GRU, in either form; gates in the order z, r, h."""
        recurrent = self.weights[name + ".recurrent_kernel"]
        inputs, units = self.dense(x, name), len(recurrent)
        state = np.zeros((len(x), units), x.dtype)
        for step in range(x.shape[1]):
            x_z, x_r, x_h = np.split(inputs[:, step], 3, axis=1)
            recurred = state @ recurrent + self.weights.get(name + ".recurrent_bias", np.zeros((), x.dtype))
            z, r = sigmoid(x_z + recurred[:, :units]), sigmoid(x_r + recurred[:, units : 2 * units])
            h = (r * state) @ recurrent[:, 2 * units :] if is_reset_before else r * recurred[:, 2 * units :]
            state = z * state + (1 - z) * np.tanh(x_h + h)
        return state

    def attention(self, x, name, heads, is_causal=False):
        """Return what each place of a sequence takes from all, or where `is_causal` from itself and those before it."""
        batch, length, width = x.shape
        query, key, value = (
            self.dense(x, name + part).reshape(batch, length, heads, width // heads).transpose(0, 2, 1, 3)
            for part in (".query", ".key", ".value")
        )
        scores = query @ key.transpose(0, 1, 3, 2) / np.sqrt(x.dtype.type(width // heads))
        if is_causal:
            scores = np.where(np.tri(length, dtype=bool), scores, -np.inf).astype(x.dtype)
        mixed = (softmax(scores) @ value).transpose(0, 2, 1, 3).reshape(batch, length, width)
        return self.dense(mixed, name + ".out")
