"""GPT (nanoGPT), character level

The "baby GPT" of Karpathy's nanoGPT, with half its context and all bytes as its vocabulary. It has 128 characters with
learned positions, and six decoder blocks of 384 numbers and six heads. Each character attends to itself and those
before it. Logits are by the embedding's own table (Press and Wolf 2016, arXiv:1608.05859). As GPT-2 it norms before
each part (Radford et al. 2019); GELU is by the error function, as in nanoGPT. Every weight decays, in nanoGPT all but
biases and norms.
"""

from bench.problem import SOFTMAX_CROSS_ENTROPY, AdamW, layer_norm, merge, small
from bench.workloads.text_transformer import LAYER_NORM, block, is_undetermined  # noqa: F401 - the same blocks

ORDER = 10.5
PARAMETERS = 10_795_008
BATCH_SIZES = (8,)
OPTIMIZERS = {"adamw": AdamW(learning_rate=1e-3, beta_1=0.9, beta_2=0.99, epsilon=1e-8, weight_decay=0.1)}
LOSS = SOFTMAX_CROSS_ENTROPY
DATASET = "shakespeare"
EPOCHS = 3
DROPOUT = ()
PARITY_BATCH = 2
LAST = ("norm.scale", "norm.offset")  # the logits' table is the embedding, too
BYTES, LENGTH, WIDTH, BLOCKS = 256, 128, 384, 6


def weights(random):
    """Return the canonical weights."""
    return merge(
        {"embedding.table": small(random, BYTES, WIDTH), "position.table": small(random, LENGTH, WIDTH)},
        *(block(random, "blocks.%d" % index, WIDTH, hidden=4 * WIDTH) for index in range(BLOCKS)),
        layer_norm(random, "norm", WIDTH),
    )


def batch(random, size):
    """Return x (size, 128) int32 bytes and y (size, 128) int32, the byte after each."""
    x, y = (random.randint(0, BYTES, (size, LENGTH)).astype("int32") for _ in range(2))
    return x, y
