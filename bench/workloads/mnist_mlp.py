"""MLP on MNIST

784-512-512-10 with ReLU and dropout 0.2: the Keras example `mnist_mlp.py` of 2017. A step is so short that a
framework's own overhead decides.
"""

from bench.problem import SOFTMAX_CROSS_ENTROPY, RMSprop, dense, labels, merge

ORDER = 0
PARAMETERS = 669_706
BATCH_SIZES = (128,)
OPTIMIZERS = {"rmsprop": RMSprop(learning_rate=1e-3, rho=0.9, epsilon=1e-10)}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "mnist"
EPOCHS = 20  # of the source
DROPOUT = (0.2, 0.2)
PARITY_BATCH = 32


def weights(random):
    """Return the canonical weights."""
    return merge(
        dense(random, "hidden1", 784, 512),
        dense(random, "hidden2", 512, 512),
        dense(random, "head", 512, 10),
    )


def batch(random, size):
    """Return x (size, 784) float32 and y (size,) int32."""
    return random.standard_normal((size, 784)).astype("float32"), labels(random, size, 10)
