"""GRU on IMDB reviews

An embedding of 30,000 words in 125 numbers, a GRU of 100 units over 150 words, its last output, two classes. It is
table 4 of the Rosetta Stone comparison of 2018.
"""

from bench.problem import SOFTMAX_CROSS_ENTROPY, Adam, dense, gru, labels, merge, small

ORDER = 1
PARAMETERS = 3_818_302
BATCH_SIZES = (64,)
OPTIMIZERS = {"adam": Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7)}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "imdb"
EPOCHS = 3  # of the source
DROPOUT = ()
PARITY_BATCH = 16


def weights(random):
    """Return the canonical weights."""
    return merge(
        {"embedding.table": small(random, 30000, 125)},
        gru(random, "gru", 125, 100),
        dense(random, "head", 100, 2),
    )


def batch(random, size):
    """Return x (size, 150) int32 word numbers and y (size,) int32."""
    return random.randint(1, 30000, (size, 150)).astype("int32"), labels(random, size, 2)
