"""Forecast the next value of a series: an LSTM by Keras on PyTorch."""

import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

EXAMPLES_PER_STEP = 32
random = np.random.default_rng(0)
series = random.standard_normal((32, 60, 8)).astype("float32")
following = random.standard_normal((32, 1)).astype("float32")
model = keras.Sequential([keras.Input((60, 8)), keras.layers.LSTM(64), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse")


def step():
    return model.train_on_batch(series, following)
