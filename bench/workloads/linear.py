"""Two dense layers, 1,000 vectors

100-128-10 with ReLU, all 1000 examples in one batch: the first example of "Why is Torch taking 4 times longer than
Keras?" (2025), which timed ten steps, the first among them.
"""

from bench.problem import SOFTMAX_CROSS_ENTROPY, Adam, dense, labels, merge

ORDER = 3
PARAMETERS = 14_218
BATCH_SIZES = (1000,)
OPTIMIZERS = {"adam": Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7)}
LOSS = SOFTMAX_CROSS_ENTROPY
DROPOUT = ()
PARITY_BATCH = 64


def weights(random):
    """Return the canonical weights."""
    return merge(dense(random, "hidden", 100, 128), dense(random, "head", 128, 10))


def batch(random, size):
    """Return x (size, 100) float32 and y (size,) int32."""
    return random.standard_normal((size, 100)).astype("float32"), labels(random, size, 10)
