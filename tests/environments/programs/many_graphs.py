"""A perceptron by Keras on PyTorch: with the cause, jit_compile=True compiles Keras' calls one by one."""

import os
import sys

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy as np

rows = np.random.default_rng(2).normal(size=(8, 10)).astype("float32")
model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(10, activation="tanh")])
model.compile("rmsprop", "mae", jit_compile=sys.argv[1:] == ["with"])


def step():
    return model.train_on_batch(rows, rows)
