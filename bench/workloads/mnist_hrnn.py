"""Hierarchical LSTM on MNIST

An LSTM of 128 units reads each of the 28 rows pixel by pixel, a second one reads the 28 row vectors, then ten classes.
It is the Keras example `mnist_hierarchical_rnn.py` of 2017 (rows and columns as in Li et al. 2015, arXiv:1506.01057).
"""

from bench.problem import SOFTMAX_CROSS_ENTROPY, RMSprop, dense, images, labels, lstm, merge

ORDER = 9
PARAMETERS = 199_434
BATCH_SIZES = (32,)
OPTIMIZERS = {"rmsprop": RMSprop(learning_rate=1e-3, rho=0.9, epsilon=1e-8)}  # the defaults of Keras 2.0.8
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "mnist"
EPOCHS = 5  # of the source
DROPOUT = ()
PARITY_BATCH = 8


def weights(random):
    """Return the canonical weights."""
    return merge(
        lstm(random, "row_lstm", 1, 128),
        lstm(random, "column_lstm", 128, 128),
        dense(random, "head", 128, 10),
    )


def batch(random, size):
    """Return x (size, 28, 28, 1) float32 and y (size,) int32."""
    return images(random, size, 28, 1), labels(random, size, 10)
