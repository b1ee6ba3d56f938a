"""LSTM cells in a Python loop

The question of `lstm_forecast` once more, answered the naive way. A Python loop over the 48 steps calls one cell after
the other, instead of the framework's own layer. "Why is Torch taking 4 times longer than Keras?" (2025) compared a
Keras LSTM with "a naive PyTorch version".
"""

from bench.workloads.lstm_forecast import (  # noqa: F401 - the same question
    BATCH_SIZES,
    DROPOUT,
    LOSS,
    OPTIMIZERS,
    PARAMETERS,
    PARITY_BATCH,
    batch,
    weights,
)

ORDER = 8
