"""A network with dropout, trained by a gradient tape: with the cause, without training=True."""

import os
import sys

os.environ["KERAS_BACKEND"] = "tensorflow"
import keras
import tensorflow as tf

signals = tf.random.normal((50, 40))
network = keras.Sequential(
    [keras.Input((40,)), keras.layers.Dense(30), keras.layers.Dropout(0.4), keras.layers.Dense(1)]
)
optimizer = keras.optimizers.SGD(0.01)
KEYWORDS = {} if sys.argv[1:] == ["with"] else {"training": True}


@tf.function
def step():
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(network(signals, **KEYWORDS)))
    slopes = tape.gradient(loss, network.trainable_variables)
    optimizer.apply_gradients(zip(slopes, network.trainable_variables, strict=True))
    return loss
