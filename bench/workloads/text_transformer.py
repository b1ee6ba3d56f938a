"""Transformer on IMDB reviews

The last 64 words of a review, of a vocabulary of 5,000, as an embedding in 128 numbers with learned positions. Two
encoder blocks (Vaswani et al. 2017, arXiv:1706.03762) have four heads and a feed-forward layer of 512. A norm precedes
each part (Xiong et al. 2020, arXiv:2002.04745). GELU is by the error function, as its paper defines it (Hendrycks and
Gimpel 2016, arXiv:1606.08415). Then a last norm, the mean over all words, two classes. Zeros before a short review are
words like any other.
"""

import numpy as np

from bench.datasets.imdb import UNKNOWN
from bench.problem import SOFTMAX_CROSS_ENTROPY, Adam, attention, dense, labels, layer_norm, merge, small

ORDER = 8.5
PARAMETERS = 1_045_250
BATCH_SIZES = (64,)
OPTIMIZERS = {"adam": Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7)}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "imdb"
EPOCHS = 3
DROPOUT = ()
LAYER_NORM = {"epsilon": 1e-5}
PARITY_BATCH = 16
WORDS, LENGTH, WIDTH = 5000, 64, 128


def block(random, name, width, hidden):
    """Return the weights of one block: attention and a feed-forward layer, each behind a norm of its own."""
    return merge(
        layer_norm(random, name + ".norm1", width),
        attention(random, name + ".attention", width),
        layer_norm(random, name + ".norm2", width),
        dense(random, name + ".expand", width, hidden),
        dense(random, name + ".contract", hidden, width),
    )


def weights(random):
    """Return the canonical weights."""
    return merge(
        {"embedding.table": small(random, WORDS, WIDTH), "position.table": small(random, LENGTH, WIDTH)},
        block(random, "blocks.0", WIDTH, hidden=512),
        block(random, "blocks.1", WIDTH, hidden=512),
        layer_norm(random, "norm", WIDTH),
        dense(random, "head", WIDTH, 2),
    )


def batch(random, size):
    """Return x (size, 64) int32 word numbers and y (size,) int32."""
    return random.randint(1, WORDS, (size, LENGTH)).astype("int32"), labels(random, size, 2)


def for_test(x):
    """Return the last words of reviews (size, 150); those that are too rare are unknown."""
    return np.where(x < WORDS, x, UNKNOWN)[:, -LENGTH:]


def for_training(_, x):
    """Return the last words of reviews, as in the test."""
    return for_test(x)


def is_undetermined(name):
    """Say whether training leaves a weight to chance.

    A key's bias adds the same to all that a query compares, and softmax cancels it. Its gradient is rounding noise,
    which Adam scales up to whole steps.
    """
    return name.endswith(".key.bias")
