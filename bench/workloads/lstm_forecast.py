"""Stacked LSTM, time-series forecast

Two LSTM layers of 64 units over 48 steps of 8 series, and from the last output the next value of one. The port of such
a network to PyTorch set off "Why is Torch taking 4 times longer than Keras?" (2025); here each framework's own layer is
used. The article gives no sizes; these are ours. `lstm_forecast_loop` writes out the loop.
"""

from bench.problem import MEAN_SQUARED_ERROR, Adam, dense, lstm, merge

ORDER = 7
PARAMETERS = 51_777
BATCH_SIZES = (64,)
OPTIMIZERS = {"adam": Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-7)}
LOSS = MEAN_SQUARED_ERROR
DROPOUT = ()
PARITY_BATCH = 16


def weights(random):
    """Return the canonical weights."""
    return merge(
        lstm(random, "lstm.0", 8, 64),
        lstm(random, "lstm.1", 64, 64),
        dense(random, "head", 64, 1),
    )


def batch(random, size):
    """Return x (size, 48, 8) float32 and y (size, 1) float32."""
    return random.standard_normal((size, 48, 8)).astype("float32"), random.standard_normal((size, 1)).astype("float32")
