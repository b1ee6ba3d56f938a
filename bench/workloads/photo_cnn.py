"""CNN on photographs

An 8x8 convolution of 16 channels in strides of 4, then 3x3 ones of 32 and 64, each with ReLU and 2x2 max-pooling. Eight
classes, on 300 x 300 pixels. It is so small that on a processor, too, decoding a photograph takes a part of the time of
training on it. Ours, for the runs that are fed by loaders.
"""

from bench.problem import SGD, SOFTMAX_CROSS_ENTROPY, convolution, dense, images, labels, merge

ORDER = 6.5
PARAMETERS = 51_320
BATCH_SIZES = (32,)
OPTIMIZERS = {"sgd": SGD(learning_rate=0.01, momentum=0.9)}
LOSS = SOFTMAX_CROSS_ENTROPY
DROPOUT = ()
PARITY_BATCH = 8


def weights(random):
    """Return the canonical weights."""
    return merge(
        convolution(random, "conv1", 8, 3, 16),
        convolution(random, "conv2", 3, 16, 32),
        convolution(random, "conv3", 3, 32, 64),
        dense(random, "head", (7, 7, 64), 8),
    )


def batch(random, size):
    """Return x (size, 300, 300, 3) float32 and y (size,) int32."""
    return images(random, size, 300, 3), labels(random, size, 8)
