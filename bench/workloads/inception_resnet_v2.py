"""Inception-ResNet v2

Szegedy et al. 2016 (arXiv:1602.07261) as in Keras Applications. Parallel branches make residuals, which are scaled by
0.17, 0.1 and 0.2 and added. Batch norm without a scale (epsilon 1e-3, momentum 0.99) and ReLU follow each convolution,
which has no bias. Convolutions that end a residual have a bias instead, and no batch norm. No auxiliary head; a head of
120 classes, as in the dog-breed comparison of 2017.
"""

from bench.problem import convolution, dense, merge, open_relus
from bench.workloads.inception_v3 import (  # noqa: F401 - the same question
    BATCH_NORM,
    BATCH_SIZES,
    DATASET,
    DROPOUT,
    EPOCHS,
    LOSS,
    OPTIMIZERS,
    PARITY_BATCH,
    PARITY_LEARNING_RATE_SCALE,
    batch,
    chain,
    conv_norm,
    parity_batch,
)

ORDER = 16
PARAMETERS = 54_521_176  # 54,336,736 in Keras Applications without its top, and a head of 1536 x 120 + 120


def _block35(random, name):
    return merge(
        conv_norm(random, name + ".branch1x1", 320, (1, 1), 32),
        chain(random, name + ".branch3x3", 320, ((1, 1), 32), ((3, 3), 32)),
        chain(random, name + ".branch3x3dbl", 320, ((1, 1), 32), ((3, 3), 48), ((3, 3), 64)),
        convolution(random, name + ".up", 1, 128, 320),
    )


def _block17(random, name):
    return merge(
        conv_norm(random, name + ".branch1x1", 1088, (1, 1), 192),
        chain(random, name + ".branch7x7", 1088, ((1, 1), 128), ((1, 7), 160), ((7, 1), 192)),
        convolution(random, name + ".up", 1, 384, 1088),
    )


def _block8(random, name):
    return merge(
        conv_norm(random, name + ".branch1x1", 2080, (1, 1), 192),
        chain(random, name + ".branch3x3", 2080, ((1, 1), 192), ((1, 3), 224), ((3, 1), 256)),
        convolution(random, name + ".up", 1, 448, 2080),
    )


def weights(random):
    """Return the canonical weights; 60,544 of them are moving statistics."""
    return open_relus(
        merge(
            conv_norm(random, "stem1", 3, (3, 3), 32),
            conv_norm(random, "stem2", 32, (3, 3), 32),
            conv_norm(random, "stem3", 32, (3, 3), 64),
            conv_norm(random, "stem4", 64, (1, 1), 80),
            conv_norm(random, "stem5", 80, (3, 3), 192),
            conv_norm(random, "mixed_5b.branch1x1", 192, (1, 1), 96),
            chain(random, "mixed_5b.branch5x5", 192, ((1, 1), 48), ((5, 5), 64)),
            chain(random, "mixed_5b.branch3x3dbl", 192, ((1, 1), 64), ((3, 3), 96), ((3, 3), 96)),
            conv_norm(random, "mixed_5b.branch_pool", 192, (1, 1), 64),
            *(_block35(random, "block35.%d" % index) for index in range(10)),
            conv_norm(random, "mixed_6a.branch3x3", 320, (3, 3), 384),
            chain(random, "mixed_6a.branch3x3dbl", 320, ((1, 1), 256), ((3, 3), 256), ((3, 3), 384)),
            *(_block17(random, "block17.%d" % index) for index in range(20)),
            chain(random, "mixed_7a.branch3x3a", 1088, ((1, 1), 256), ((3, 3), 384)),
            chain(random, "mixed_7a.branch3x3b", 1088, ((1, 1), 256), ((3, 3), 288)),
            chain(random, "mixed_7a.branch3x3dbl", 1088, ((1, 1), 256), ((3, 3), 288), ((3, 3), 320)),
            *(_block8(random, "block8.%d" % index) for index in range(10)),
            conv_norm(random, "conv_7b", 2080, (1, 1), 1536),
            dense(random, "head", 1536, 120),
        ),
        4,
    )


def is_undetermined(name):
    """Say whether training leaves a weight to chance.

    No ReLU follows the last residual, so the batch norm of `conv_7b` cancels its bias. The gradient is rounding noise,
    which Adam scales up to whole steps, and the moving mean follows it. Their gradients and their effect on outputs and
    losses are compared all the same.
    """
    return name in ("block8.9.up.bias", "conv_7b.norm.mean")
