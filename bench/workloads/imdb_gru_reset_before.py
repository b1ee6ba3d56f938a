"""GRU with reset_after=False, IMDB

The question of `imdb_gru` once more, with the other form of GRU. The reset gate acts on the state before the recurrent
product, and each gate has one bias (Cho et al. 2014, arXiv:1406.1078v3). Keras' layer of 2017 has no other, and so
table 4 of the Rosetta Stone comparison of 2018 held it against frameworks that ran cuDNN's.
"""

from bench.problem import dense, kernel, merge, small
from bench.workloads.imdb_gru import (  # noqa: F401 - the same question
    BATCH_SIZES,
    DATASET,
    DROPOUT,
    EPOCHS,
    LOSS,
    OPTIMIZERS,
    PARITY_BATCH,
    batch,
)

ORDER = 9.5
PARAMETERS = 3_818_002
UNITS = 100


def weights(random):
    """Return the canonical weights; gates in the order update, reset, candidate."""
    gru = {
        "gru.kernel": kernel(random, 125, 3 * UNITS),
        "gru.recurrent_kernel": kernel(random, UNITS, 3 * UNITS),
        "gru.bias": small(random, 3 * UNITS),
    }
    return merge({"embedding.table": small(random, 30000, 125)}, gru, dense(random, "head", UNITS, 2))
