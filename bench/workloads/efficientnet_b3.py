"""EfficientNet-B3 fine-tuning

EfficientNet-B3 as in Keras Applications (Tan and Le 2019, arXiv:1905.11946), for images that are already normalised.
Its trunk of depthwise convolutions is frozen and in inference mode. A head of ten classes learns from the averages of
its 1536 channels, without dropout. Network and optimiser are those of "Tensorflow vs. Keras or how to speed up your
training for image data sets by factor 10" (2019). Its code freezes nothing and trains the trunk as well. A stride of 2
pads one row and column less at the top and left where the side is even.
"""

import numpy as np

from bench.problem import SOFTMAX_CROSS_ENTROPY, Adam, batch_norm, convolution, dense, images, labels, merge

ORDER = 13
PARAMETERS = 10_798_898  # 10,783,528 in Keras Applications without top and preprocessing, and a head of 1536 x 10 + 10
BATCH_SIZES = (16,)
OPTIMIZERS = {"adam": Adam(learning_rate=0.01, beta_1=0.9, beta_2=0.999, epsilon=1e-7)}
LOSS = SOFTMAX_CROSS_ENTROPY
DROPOUT = ()
BATCH_NORM = {"epsilon": 1e-3, "momentum": 0.99}
LAST = ("trunk.top_norm.scale", "trunk.top_norm.offset")  # before the head, which alone is trained
# stage, blocks, kernel, expansion, outputs
STAGES = (
    ("stage1", 2, 3, 1, 24),
    ("stage2", 3, 3, 6, 32),
    ("stage3", 3, 5, 6, 48),
    ("stage4", 5, 3, 6, 96),
    ("stage5", 5, 5, 6, 136),
    ("stage6", 6, 5, 6, 232),
    ("stage7", 2, 3, 6, 384),
)
PARITY_BATCH = 8
PARITY_SIDE = 44  # like 300, it halves to sides that are even, even, odd, even and odd


def _convolution(random, name, norm, size, inputs, outputs, gain):
    """Return a convolution without bias, its outputs' variance `gain` times its inputs', and its batch norm.

    In inference mode a batch norm restores no scale. Gains keep images from fading out among the offsets: 3 after
    a swish, and 12 after a swish and a gate of about one half.
    """
    deviation = np.sqrt(gain / (size * size * inputs))
    kernel = (deviation * random.standard_normal((size, size, inputs, outputs))).astype(np.float32)
    return merge({name + ".kernel": kernel}, batch_norm(random, norm, outputs))


def _block(random, name, size, expansion, inputs, outputs, is_residual):
    """Return one inverted residual: 1x1 to `expansion` * `inputs`, depthwise, squeeze and excite, 1x1 to `outputs`."""
    width = expansion * inputs
    expands = expansion > 1
    expand = _convolution(random, name + ".expand", name + ".expand_norm", 1, inputs, width, 1.0) if expands else {}
    block = merge(
        expand,
        _convolution(random, name + ".depthwise", name + ".depthwise_norm", size, 1, width, 3.0),
        convolution(random, name + ".squeeze", 1, width, inputs // 4),
        convolution(random, name + ".excite", 1, inputs // 4, width),
        _convolution(random, name + ".project", name + ".project_norm", 1, width, outputs, 12.0),
    )
    if is_residual:
        block[name + ".project_norm.scale"] *= 0.2  # else the sums would grow a thousandfold
    return block


def weights(random):
    """Return the canonical weights; 87,296 of them are moving statistics."""
    layers = [_convolution(random, "trunk.stem", "trunk.stem_norm", 3, 3, 40, 1.0)]
    inputs = 40
    for stage, blocks, size, expansion, outputs in STAGES:
        for index in range(blocks):
            name = "trunk.%s.%d" % (stage, index)
            layers.append(_block(random, name, size, expansion, inputs, outputs, is_residual=index > 0))
            inputs = outputs
    layers.append(_convolution(random, "trunk.top", "trunk.top_norm", 1, inputs, 1536, 1.0))
    layers.append(dense(random, "head", 1536, 10))
    return merge(*layers)


def batch(random, size, side=300):
    """Return x (size, side, side, 3) float32 and y (size,) int32."""
    return images(random, size, side, 3), labels(random, size, 10)


def parity_batch(random):
    """Return a small batch for the parity gate; the network takes any side."""
    return batch(random, PARITY_BATCH, PARITY_SIDE)
