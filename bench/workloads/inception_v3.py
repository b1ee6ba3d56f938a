"""Inception v3

Szegedy et al. 2015 (arXiv:1512.00567) as in Keras Applications: eleven mixed blocks of parallel branches. Batch norm
without a scale (epsilon 1e-3, momentum 0.99) and ReLU follow each convolution, which has no bias. No auxiliary head; a
head of 120 classes, as in the dog-breed comparison of 2017.
"""

from bench.problem import SGD, SOFTMAX_CROSS_ENTROPY, Adam, batch_norm, dense, images, kernel, labels, merge, open_relus

ORDER = 15
PARAMETERS = 22_048_664  # 21,802,784 in Keras Applications without its top, and a head of 2048 x 120 + 120
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
PARITY_BATCH = 4
PARITY_SIDE = 108  # even; the smallest that leaves the last blocks more than one pixel: 2 x 2
PARITY_LEARNING_RATE_SCALE = 0.01  # from random weights the usual one makes training chaotic


def conv_norm(random, name, inputs, size, outputs):
    """Return a convolution without a bias and the batch norm after it."""
    return merge(
        {name + ".conv.kernel": kernel(random, size[0], size[1], inputs, outputs)},
        batch_norm(random, name + ".norm", outputs, has_scale=False),
    )


def chain(random, name, inputs, *convs):
    """Return convolutions in a row, each given as (size, outputs)."""
    layers = []
    for index, (size, outputs) in enumerate(convs):
        layers.append(conv_norm(random, "%s.%d" % (name, index), inputs, size, outputs))
        inputs = outputs
    return merge(*layers)


def _inception_a(random, name, inputs, pooled):
    return merge(
        conv_norm(random, name + ".branch1x1", inputs, (1, 1), 64),
        chain(random, name + ".branch5x5", inputs, ((1, 1), 48), ((5, 5), 64)),
        chain(random, name + ".branch3x3dbl", inputs, ((1, 1), 64), ((3, 3), 96), ((3, 3), 96)),
        conv_norm(random, name + ".branch_pool", inputs, (1, 1), pooled),
    )


def _reduction_a(random, name, inputs):
    return merge(
        conv_norm(random, name + ".branch3x3", inputs, (3, 3), 384),
        chain(random, name + ".branch3x3dbl", inputs, ((1, 1), 64), ((3, 3), 96), ((3, 3), 96)),
    )


def _inception_b(random, name, inputs, width):
    row, column = (1, 7), (7, 1)
    return merge(
        conv_norm(random, name + ".branch1x1", inputs, (1, 1), 192),
        chain(random, name + ".branch7x7", inputs, ((1, 1), width), (row, width), (column, 192)),
        chain(
            random, name + ".branch7x7dbl", inputs,
            ((1, 1), width), (column, width), (row, width), (column, width), (row, 192),
        ),
        conv_norm(random, name + ".branch_pool", inputs, (1, 1), 192),
    )  # fmt: skip


def _reduction_b(random, name, inputs):
    return merge(
        chain(random, name + ".branch3x3", inputs, ((1, 1), 192), ((3, 3), 320)),
        chain(random, name + ".branch7x7x3", inputs, ((1, 1), 192), ((1, 7), 192), ((7, 1), 192), ((3, 3), 192)),
    )


def _inception_c(random, name, inputs):
    return merge(
        conv_norm(random, name + ".branch1x1", inputs, (1, 1), 320),
        conv_norm(random, name + ".branch3x3", inputs, (1, 1), 384),
        conv_norm(random, name + ".branch3x3_row", 384, (1, 3), 384),
        conv_norm(random, name + ".branch3x3_column", 384, (3, 1), 384),
        chain(random, name + ".branch3x3dbl", inputs, ((1, 1), 448), ((3, 3), 384)),
        conv_norm(random, name + ".branch3x3dbl_row", 384, (1, 3), 384),
        conv_norm(random, name + ".branch3x3dbl_column", 384, (3, 1), 384),
        conv_norm(random, name + ".branch_pool", inputs, (1, 1), 192),
    )


def weights(random):
    """Return the canonical weights; 34,432 of them are moving statistics."""
    return open_relus(
        merge(
            conv_norm(random, "stem1", 3, (3, 3), 32),
            conv_norm(random, "stem2", 32, (3, 3), 32),
            conv_norm(random, "stem3", 32, (3, 3), 64),
            conv_norm(random, "stem4", 64, (1, 1), 80),
            conv_norm(random, "stem5", 80, (3, 3), 192),
            _inception_a(random, "mixed0", 192, pooled=32),
            _inception_a(random, "mixed1", 256, pooled=64),
            _inception_a(random, "mixed2", 288, pooled=64),
            _reduction_a(random, "mixed3", 288),
            _inception_b(random, "mixed4", 768, width=128),
            _inception_b(random, "mixed5", 768, width=160),
            _inception_b(random, "mixed6", 768, width=160),
            _inception_b(random, "mixed7", 768, width=192),
            _reduction_b(random, "mixed8", 768),
            _inception_c(random, "mixed9", 1280),
            _inception_c(random, "mixed10", 2048),
            dense(random, "head", 2048, 120),
        ),
        4,
    )


def batch(random, size, side=224):
    """Return x (size, side, side, 3) float32 and y (size,) int32."""
    return images(random, size, side, 3), labels(random, size, 120)


def parity_batch(random):
    """Return a small batch for the parity gate; the network takes any side."""
    return batch(random, PARITY_BATCH, PARITY_SIDE)
