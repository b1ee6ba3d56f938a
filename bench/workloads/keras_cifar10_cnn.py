"""CNN on CIFAR-10 (Keras example)

Two pairs of 3x3 convolutions (32, 32 and 64, 64) with ReLU, the first of each pair padded and the second not. After
each pair come 2x2 max-pooling and dropout 0.25; then a dense layer of 512, dropout 0.5 and ten classes. It is the Keras
example `cifar10_cnn.py` of 2017. Its learning rate fell by a millionth per step, and its epsilon was 1e-8. Here the
rate is constant, and epsilon is 1e-10 outside the root. A model file that has it under the root writes 1e-20. Both
forms agree for zeros and for gradients far above 1e-10; between them steps differ by up to the root of two.
"""

import numpy as np

from bench.datasets import crops
from bench.problem import SOFTMAX_CROSS_ENTROPY, RMSprop, convolution, dense, images, labels, merge

ORDER = 6
PARAMETERS = 1_250_858
BATCH_SIZES = (32,)
OPTIMIZERS = {"rmsprop": RMSprop(learning_rate=1e-4, rho=0.9, epsilon=1e-10)}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "cifar10"
EPOCHS = 200  # of the Keras example; the comparison stopped at 50
DROPOUT = (0.25, 0.25, 0.5)
MOST_SHIFT = 3  # pixels: a tenth of a side
PARITY_BATCH = 16


def weights(random):
    """Return the canonical weights."""
    return merge(
        convolution(random, "conv1", 3, 3, 32),
        convolution(random, "conv2", 3, 32, 32),
        convolution(random, "conv3", 3, 32, 64),
        convolution(random, "conv4", 3, 64, 64),
        dense(random, "hidden", (6, 6, 64), 512),
        dense(random, "head", 512, 10),
    )


def batch(random, size):
    """Return x (size, 32, 32, 3) float32 and y (size,) int32."""
    return images(random, size, 32, 3), labels(random, size, 10)


def for_training(random, x):
    """Return images (examples, 32, 32, 3) moved by up to MOST_SHIFT pixels, their edges repeated, and half mirrored."""
    margin = MOST_SHIFT
    wide = np.pad(x, ((0, 0), (margin, margin), (margin, margin), (0, 0)), "edge")
    return crops(wide, random.randint(0, 2 * margin + 1, (len(x), 2)), random.randint(0, 2, len(x)), x.shape[1])
