"""Three tanh layers

32-64-64-64-4 on random vectors: three hidden layers, so that bounded activations and their gradients are compared.
"""

from bench.problem import SGD, SOFTMAX_CROSS_ENTROPY, dense, labels, merge

ORDER = 3.5
PARAMETERS = 10_692
BATCH_SIZES = (256,)
OPTIMIZERS = {"sgd": SGD(learning_rate=0.01, momentum=0.9)}
LOSS = SOFTMAX_CROSS_ENTROPY
DROPOUT = ()
PARITY_BATCH = 64


def weights(random):
    """Return the canonical weights."""
    return merge(
        dense(random, "hidden1", 32, 64),
        dense(random, "hidden2", 64, 64),
        dense(random, "hidden3", 64, 64),
        dense(random, "head", 64, 4),
    )


def batch(random, size):
    """Return x (size, 32) float32 and y (size,) int32."""
    return random.standard_normal((size, 32)).astype("float32"), labels(random, size, 4)
