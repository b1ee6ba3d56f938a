"""Keras 2 on TensorFlow 1: threads and gradients."""

import tensorflow as tf
from keras import backend as K

OUT_OF_MEMORY = (tf.errors.ResourceExhaustedError,)
IMAGES = "channels_last"  # Keras' default, and the only one that TensorFlow 1 convolves on a CPU


def configure(threads):
    # One op at a time, with all threads inside it: two pools of `threads` would compete for the same cores.
    config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1)
    K.set_session(tf.Session(config=config))
    K.gradients = _gated


def _gated(loss, variables):
    """Return the gradients of `loss`, each computed before the weights it depends on are updated.

    Keras 2 asks for them ungated, and TensorFlow 1 updates a kernel in place. The second layer's kernel could be new
    before back-propagation to the first had read the old one. Then a seventh of the first layer's weights stepped the
    wrong way.
    """
    return tf.gradients(loss, variables, colocate_gradients_with_ops=True, gate_gradients=True)


def loaded():
    return {"tensorflow": tf.__version__}


def turned(kernel):
    return kernel


def backward(model, variables):
    """Return what takes a batch, and returns [outputs, loss, a gradient for each variable] in training mode."""
    inputs = model.inputs + model.targets + model.sample_weights + [K.learning_phase()]
    # An embedding's has a row for each word read; Keras' optimisers sum those of a word likewise, by multiplying it.
    found = [tf.convert_to_tensor(gradient) for gradient in K.gradients(model.total_loss, variables)]
    compute = K.function(inputs, [model.output, model.total_loss] + found)
    return lambda values: compute(values + [1])
