"""Keras' Adam on TensorFlow squares the gradients of a word that a batch holds twice one by one, instead of their sum.

Seen in: keras-tensorflow, tensorflow.
"""

import keras
import tensorflow as tf

RATE = 0.001


def first_step(prepared):
    embedding = keras.layers.Embedding(2, 1, embeddings_initializer="zeros")
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(embedding(tf.constant([0, 0, 1])))  # word 0 is read twice, word 1 once
    (gradient,) = tape.gradient(loss, embedding.trainable_variables)
    keras.optimizers.Adam(RATE, epsilon=1e-8).apply([prepared(gradient)], embedding.trainable_variables)
    print("%-13s" % type(prepared(gradient)).__name__, "%.3f %.3f" % tuple(-embedding.embeddings.numpy()[:, 0] / RATE))
    return embedding.embeddings.numpy()


print("Adam's first step is as long as its learning rate, whatever the gradient. In learning rates, of words 0 and 1:")
if abs(first_step(lambda gradient: gradient) - first_step(tf.convert_to_tensor)).max() < RATE / 100:
    raise SystemExit("They are alike: the defect is gone.")
