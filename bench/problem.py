"""The words in which a workload is stated: weights, batches and optimisers as NumPy arrays and plain numbers.

Every array is in the canonical layout, and each framework's adapter translates from it:

- kernel (inputs, outputs): dense
- kernel (height, width, inputs, outputs): convolution
- kernel (size, inputs, outputs): convolution along a sequence
- kernel (height, width, 1, channels): depthwise convolution
- kernel (height, width, channels, outputs): dense after flattening an image
- bias (outputs,): dense, convolution
- scale, offset (channels,): batch norm, layer norm
- mean, variance (channels,): batch norm, moving (not trained)
- table (words, width), (positions, width): embedding, learned positions
- query.kernel, .bias (width, heads * head_width), its outputs: attention; key and value likewise
- out.kernel, .bias (heads * head_width, width), its outputs: attention
- kernel (inputs, 3 * units), gates z, r, h: GRU
- recurrent_kernel (units, 3 * units), gates z, r, h: GRU
- bias, recurrent_bias (3 * units,), gates z, r, h: GRU
- kernel (inputs, 4 * units), gates i, f, g, o: LSTM
- recurrent_kernel (units, 4 * units), gates i, f, g, o: LSTM
- bias (4 * units,), gates i, f, g, o: LSTM

Images are (batch, height, width, channels). A leaf's full name is `<attribute path of the layer>.<leaf>`. Where a
network has several inputs, x is a tuple of arrays.
"""

from typing import NamedTuple

import numpy as np

NOT_TRAINED = ("mean", "variance")

# The losses, each a mean over the batch (and over tokens, labels or values); networks end in logits, or in the value
# itself.
SOFTMAX_CROSS_ENTROPY = "softmax cross-entropy"  # y (batch,) or (batch, tokens) int32 class numbers
SIGMOID_CROSS_ENTROPY = "sigmoid cross-entropy"  # y (batch, labels) float32, 0 or 1
MEAN_SQUARED_ERROR = "mean squared error"  # y (batch, values) float32


class SGD(NamedTuple):
    """velocity = momentum * velocity + gradient; weight -= learning_rate * velocity."""

    learning_rate: float
    momentum: float


class RMSprop(NamedTuple):
    """square = rho * square + (1 - rho) * gradient^2; weight -= learning_rate * gradient / (sqrt(square) + epsilon)."""

    learning_rate: float
    rho: float
    epsilon: float


class Adam(NamedTuple):
    """Kingma and Ba 2015, algorithm 1, with bias correction; epsilon outside the root."""

    learning_rate: float
    beta_1: float
    beta_2: float
    epsilon: float


class AdamW(NamedTuple):
    """Loshchilov and Hutter 2019: weight -= learning_rate * (Adam's step + weight_decay * weight), of every weight.

    Adam's step is that of `Adam`, for a learning rate of 1; the weight that decays is the one before the step.
    """

    learning_rate: float
    beta_1: float
    beta_2: float
    epsilon: float
    weight_decay: float


class Adadelta(NamedTuple):
    """Zeiler 2012, algorithm 1, and a learning rate; epsilon under both roots.

    square = rho * square + (1 - rho) * gradient^2; delta = gradient * sqrt(moved + epsilon) / sqrt(square + epsilon);
    moved = rho * moved + (1 - rho) * delta^2; weight -= learning_rate * delta.
    """

    learning_rate: float
    rho: float
    epsilon: float


def kernel(random, *shape):
    """Return a Glorot-uniform float32 kernel; the last axis is the outputs, the one before it the inputs."""
    receptive = int(np.prod(shape[:-2]))
    limit = np.sqrt(6.0 / (receptive * (shape[-2] + shape[-1])))
    return random.uniform(-limit, limit, shape).astype(np.float32)


def small(random, *shape):
    """Return small random float32 values: zeros would hide a bias that is missing, doubled or misplaced."""
    return (0.05 * random.standard_normal(shape)).astype(np.float32)


def dense(random, name, inputs, outputs):
    """Return the weights of one dense layer; `inputs` is a number or the shape of the image it flattens."""
    shape = inputs if isinstance(inputs, tuple) else (inputs,)
    fan_in = int(np.prod(shape))
    return {
        name + ".kernel": kernel(random, fan_in, outputs).reshape(shape + (outputs,)),
        name + ".bias": small(random, outputs),
    }


def convolution(random, name, size, inputs, outputs):
    """Return the weights of one `size` x `size` convolution with a bias."""
    return {name + ".kernel": kernel(random, size, size, inputs, outputs), name + ".bias": small(random, outputs)}


def batch_norm(random, name, channels, has_scale=True):
    """Return scale, offset and the moving statistics of one batch norm, all away from their usual 1 and 0."""
    scale = {name + ".scale": 1 + small(random, channels)} if has_scale else {}
    return dict(scale, **{
        name + ".offset": small(random, channels),
        name + ".mean": small(random, channels),
        name + ".variance": 1 + np.abs(small(random, channels)),
    })  # fmt: skip


def layer_norm(random, name, channels):
    """Return scale and offset of one layer norm, away from their usual 1 and 0."""
    return {name + ".scale": 1 + small(random, channels), name + ".offset": small(random, channels)}


def attention(random, name, width):
    """Return the weights of one multi-head attention: its heads lie side by side in each of four dense layers."""
    return merge(*(dense(random, name + part, width, width) for part in (".query", ".key", ".value", ".out")))


def open_relus(weights, deviations):
    """Return the weights with the offset of each batch norm so many deviations above 0: nearly all ReLUs stay open.

    Around 0, the next batch norms magnify every rounding that closes a ReLU. In a deep network, gradients in float32
    are then off by 1e-2 instead of 1e-5 from those in float64. Right frameworks would seem to disagree.
    """
    return {name: value + deviations if name.endswith(".offset") else value for name, value in weights.items()}


def gru(random, name, inputs, units):
    """Return the weights of one GRU whose reset gate acts after the recurrent product (Keras `reset_after`, cuDNN)."""
    return {
        name + ".kernel": kernel(random, inputs, 3 * units),
        name + ".recurrent_kernel": kernel(random, units, 3 * units),
        name + ".bias": small(random, 3 * units),
        name + ".recurrent_bias": small(random, 3 * units),
    }


def lstm(random, name, inputs, units):
    """Return the weights of one LSTM with one bias per gate; the forget gate's starts at 1 (Jozefowicz et al. 2015)."""
    bias = small(random, 4 * units)
    bias[units : 2 * units] += 1
    return {
        name + ".kernel": kernel(random, inputs, 4 * units),
        name + ".recurrent_kernel": kernel(random, units, 4 * units),
        name + ".bias": bias,
    }


def images(random, size, side, channels):
    """Return (size, side, side, channels) float32 random-normal images; zeros can run 13 to 15 % faster."""
    return random.standard_normal((size, side, side, channels)).astype(np.float32)


def labels(random, size, classes):
    """Return (size,) int32 class numbers."""
    return random.randint(0, classes, size).astype(np.int32)


def merge(*parts):
    """Join the weights of several layers, refusing a name given twice."""
    joined = {}
    for part in parts:
        for name, value in part.items():
            if name in joined:
                raise ValueError("the weight %r is stated twice" % name)
            joined[name] = value
    return joined
