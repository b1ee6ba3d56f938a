"""CNN on MNIST

Two 3x3 convolutions (32, 64) without padding and with ReLU, 2x2 max-pooling, dropout 0.25, a dense layer of 128,
dropout 0.5 and ten classes. It is trained by Adadelta as Keras had set it: the Keras example `mnist_cnn.py` of 2017.
"""

from bench.problem import SOFTMAX_CROSS_ENTROPY, Adadelta, convolution, dense, images, labels, merge

ORDER = 5
PARAMETERS = 1_199_882
BATCH_SIZES = (128,)
OPTIMIZERS = {"adadelta": Adadelta(learning_rate=1.0, rho=0.95, epsilon=1e-8)}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "mnist"
EPOCHS = 12  # of the source
DROPOUT = (0.25, 0.5)
PARITY_BATCH = 32
# Where rounding lets one ReLU of the dense layer fall the other way, Adadelta moves its 9,216 weights by whole steps.
PARITY_LEARNING_RATE_SCALE = 0.1


def weights(random):
    """Return the canonical weights."""
    return merge(
        convolution(random, "conv1", 3, 1, 32),
        convolution(random, "conv2", 3, 32, 64),
        dense(random, "hidden", (12, 12, 64), 128),
        dense(random, "head", 128, 10),
    )


def batch(random, size):
    """Return x (size, 28, 28, 1) float32 and y (size,) int32."""
    return images(random, size, 28, 1), labels(random, size, 10)
