"""CNN on CIFAR-10 (Rosetta Stone)

Two pairs of 3x3 convolutions (50, 50 and 100, 100) with ReLU, each pair followed by 2x2 max-pooling and dropout 0.25.
Then a dense layer of 512, dropout 0.5 and ten classes. It is table 1 of the Rosetta Stone comparison of 2018.
"""

from bench.problem import SGD, SOFTMAX_CROSS_ENTROPY, convolution, dense, images, labels, merge

ORDER = 2
PARAMETERS = 3_441_592  # as every framework of 2017 counted them
BATCH_SIZES = (64,)
OPTIMIZERS = {"sgd": SGD(learning_rate=0.01, momentum=0.9)}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "cifar10"
EPOCHS = 10  # of the source
DROPOUT = (0.25, 0.25, 0.5)
PARITY_BATCH = 16


def weights(random):
    """Return the canonical weights."""
    return merge(
        convolution(random, "conv1", 3, 3, 50),
        convolution(random, "conv2", 3, 50, 50),
        convolution(random, "conv3", 3, 50, 100),
        convolution(random, "conv4", 3, 100, 100),
        dense(random, "hidden", (8, 8, 100), 512),
        dense(random, "head", 512, 10),
    )


def batch(random, size):
    """Return x (size, 32, 32, 3) float32 and y (size,) int32."""
    return images(random, size, 32, 3), labels(random, size, 10)
