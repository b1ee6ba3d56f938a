"""A linear model by Keras: with the cause, Adagrad has Keras' default learning rate; else that of other frameworks."""

import sys

import keras
import numpy as np

points = np.random.default_rng(5).normal(size=(64, 7)).astype("float32")
model = keras.Sequential([keras.Input((7,)), keras.layers.Dense(1)])
default, usual = keras.optimizers.Adagrad(), keras.optimizers.Adagrad(learning_rate=0.01, epsilon=1e-10)
model.compile(default if sys.argv[1:] == ["with"] else usual, "mse")


def step():
    return model.train_on_batch(points, points[:, :1] * 2)
