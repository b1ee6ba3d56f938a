"""Large images with Inception-ResNet v2

Szegedy et al. 2016 (arXiv:1602.07261) as in Keras Applications: residuals of parallel branches, scaled by 0.17, 0.1
and 0.2 and added; convolutions without a bias, each followed by batch norm without a scale (epsilon 1e-3, momentum
0.99) and ReLU, except those that end a residual: they have a bias, and no batch norm. No auxiliary head; a head of 120
classes, as in the dog-breed comparison of 2017.
"""

from bench.problem import (
    SGD,
    SOFTMAX_CROSS_ENTROPY,
    Adam,
    batch_norm,
    convolution,
    dense,
    images,
    kernel,
    labels,
    merge,
)

ORDER = 16
PARAMETERS = 54_521_176  # 54,336,736 in Keras Applications without its top, and a head of 1536 x 120 + 120
BATCH_SIZES = (4, 16)
OPTIMIZERS = {
    "sgd": SGD(learning_rate=0.01, momentum=0.9),
    "adam": Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7),
}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "dog_breeds"
EPOCHS = 10  # of the source
DROPOUT = ()
BATCH_NORM = {"epsilon": 1e-3, "momentum": 0.99}
PARITY_BATCH = 8
PARITY_SIDE = 108  # even; the smallest that leaves the last blocks more than one pixel: 2 x 2


def _conv(random, name, inputs, size, outputs):
    """Return a convolution without a bias and the batch norm after it."""
    return merge(
        {name + ".conv.kernel": kernel(random, size[0], size[1], inputs, outputs)},
        batch_norm(random, name + ".norm", outputs, has_scale=False),
    )


def _chain(random, name, inputs, *convs):
    """Return convolutions in a row, each given as (size, outputs)."""
    layers = []
    for index, (size, outputs) in enumerate(convs):
        layers.append(_conv(random, "%s.%d" % (name, index), inputs, size, outputs))
        inputs = outputs
    return merge(*layers)


def _block35(random, name):
    return merge(
        _conv(random, name + ".branch1x1", 320, (1, 1), 32),
        _chain(random, name + ".branch3x3", 320, ((1, 1), 32), ((3, 3), 32)),
        _chain(random, name + ".branch3x3dbl", 320, ((1, 1), 32), ((3, 3), 48), ((3, 3), 64)),
        convolution(random, name + ".up", 1, 128, 320),
    )


def _block17(random, name):
    return merge(
        _conv(random, name + ".branch1x1", 1088, (1, 1), 192),
        _chain(random, name + ".branch7x7", 1088, ((1, 1), 128), ((1, 7), 160), ((7, 1), 192)),
        convolution(random, name + ".up", 1, 384, 1088),
    )


def _block8(random, name):
    return merge(
        _conv(random, name + ".branch1x1", 2080, (1, 1), 192),
        _chain(random, name + ".branch3x3", 2080, ((1, 1), 192), ((1, 3), 224), ((3, 1), 256)),
        convolution(random, name + ".up", 1, 448, 2080),
    )


def weights(random):
    """Return the canonical weights; 60,544 of them are moving statistics."""
    return merge(
        _conv(random, "stem1", 3, (3, 3), 32),
        _conv(random, "stem2", 32, (3, 3), 32),
        _conv(random, "stem3", 32, (3, 3), 64),
        _conv(random, "stem4", 64, (1, 1), 80),
        _conv(random, "stem5", 80, (3, 3), 192),
        _conv(random, "mixed_5b.branch1x1", 192, (1, 1), 96),
        _chain(random, "mixed_5b.branch5x5", 192, ((1, 1), 48), ((5, 5), 64)),
        _chain(random, "mixed_5b.branch3x3dbl", 192, ((1, 1), 64), ((3, 3), 96), ((3, 3), 96)),
        _conv(random, "mixed_5b.branch_pool", 192, (1, 1), 64),
        *(_block35(random, "block35.%d" % index) for index in range(10)),
        _conv(random, "mixed_6a.branch3x3", 320, (3, 3), 384),
        _chain(random, "mixed_6a.branch3x3dbl", 320, ((1, 1), 256), ((3, 3), 256), ((3, 3), 384)),
        *(_block17(random, "block17.%d" % index) for index in range(20)),
        _chain(random, "mixed_7a.branch3x3a", 1088, ((1, 1), 256), ((3, 3), 384)),
        _chain(random, "mixed_7a.branch3x3b", 1088, ((1, 1), 256), ((3, 3), 288)),
        _chain(random, "mixed_7a.branch3x3dbl", 1088, ((1, 1), 256), ((3, 3), 288), ((3, 3), 320)),
        *(_block8(random, "block8.%d" % index) for index in range(10)),
        _conv(random, "conv_7b", 2080, (1, 1), 1536),
        dense(random, "head", 1536, 120),
    )


def batch(random, size, side=224):
    """Return x (size, side, side, 3) float32 and y (size,) int32."""
    return images(random, size, side, 3), labels(random, size, 120)


def parity_batch(random):
    """Return a small batch for the parity gate; the network takes any side."""
    return batch(random, PARITY_BATCH, PARITY_SIDE)


def is_undetermined(name):
    """Say whether training leaves a weight to chance.

    No ReLU follows the last residual, so the batch norm of `conv_7b` cancels its bias: the gradient is rounding noise,
    which Adam scales up to whole steps, and the moving mean follows it. Their gradients and their effect on outputs and
    losses are compared all the same.
    """
    return name in ("block8.9.up.bias", "conv_7b.norm.mean")
