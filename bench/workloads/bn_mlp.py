"""MLP with batch norm, 1,000 vectors

100-256-128-10 with ReLU, then batch norm, then dropout 0.5, and all 1000 examples in one batch. It is the second
example of "Why is Torch taking 4 times longer than Keras?" (2025). The order is that of its Keras code; its PyTorch
code had batch norm before ReLU, and left out the difference. Batch norm uses Keras' defaults, epsilon 1e-3 and momentum
0.99.
"""

from bench.problem import SOFTMAX_CROSS_ENTROPY, Adam, batch_norm, dense, labels, merge

ORDER = 4
PARAMETERS = 61_578  # 768 of them are moving statistics
BATCH_SIZES = (1000,)
OPTIMIZERS = {"adam": Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7)}
LOSS = SOFTMAX_CROSS_ENTROPY
DROPOUT = (0.5, 0.5)
BATCH_NORM = {"epsilon": 1e-3, "momentum": 0.99}
PARITY_BATCH = 256


def weights(random):
    """Return the canonical weights."""
    return merge(
        dense(random, "hidden1", 100, 256),
        batch_norm(random, "norm1", 256),
        dense(random, "hidden2", 256, 128),
        batch_norm(random, "norm2", 128),
        dense(random, "head", 128, 10),
    )


def batch(random, size):
    """Return x (size, 100) float32 and y (size,) int32."""
    return random.standard_normal((size, 100)).astype("float32"), labels(random, size, 10)
