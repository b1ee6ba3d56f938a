"""Keras 2 on TensorFlow 1: how a model file is run, and how its weights map to the canonical layout."""

import keras
import numpy as np
import tensorflow as tf
from keras import backend as K
from keras.layers import Conv2D, Dense, Dropout
from keras.models import Sequential
from keras.utils import to_categorical

from bench.errors import Unsupported

OUT_OF_MEMORY = (tf.errors.ResourceExhaustedError,)
LEAVES = ("kernel", "bias")  # of a dense layer and a convolution, in Keras' order


def devices():
    return ["cpu"]  # the pinned wheel is TensorFlow's CPU build: its GPU build wants CUDA 8


def configure(device, threads, precision):
    if device != "cpu" or precision != "fp32":
        raise Unsupported(
            "TensorFlow 1.4 is measured on the CPU in float32, not on the %s in %s." % (device, precision)
        )
    # One op at a time, with all threads inside it: two pools of `threads` would compete for the same cores.
    config = tf.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=1)
    K.set_session(tf.Session(config=config))
    K.set_image_data_format("channels_last")
    K.gradients = _gradients


def _gradients(loss, variables):
    """Return the gradients of `loss`, each computed before the weights it depends on are updated.

    Keras 2.1 asks for them ungated, and TensorFlow 1.4 updates a kernel in place: the second layer's could be new
    before back-propagation to the first had read the old one, and a seventh of the first layer's weights stepped the
    wrong way.
    """
    return tf.gradients(loss, variables, colocate_gradients_with_ops=True, gate_gradients=True)


def loaded():
    versions = {"keras": keras.__version__, "tensorflow": tf.__version__}
    return dict(versions, cuda=None, cudnn=None, device_name=None)


def peak_memory_bytes():
    return None


class Program:
    """One compiled Keras model, ready to step."""

    def __init__(self, source, task, mode, optimizer, _):
        self.source = source
        self.optimizer = source.OPTIMIZERS[optimizer] if task == "train" else lambda: "sgd"  # compile needs one
        self.step = self._train if task == "train" else self._infer
        self.shapes = {}
        self._compile(source.Model())

    def _compile(self, model):
        self.model = model
        self.model.compile(loss=self.source.loss, optimizer=self.optimizer())

    def _tensors(self):
        """Yield (canonical name, variable) of every weight."""
        for layer in self.model.layers:
            if isinstance(layer, (Dense, Conv2D)):
                for leaf, variable in zip(LEAVES, layer.weights):
                    yield layer.name + "." + leaf, variable

    def _canonical(self, values):
        names = [name for name, _ in self._tensors()]
        return {name: value.reshape(self.shapes[name]) for name, value in zip(names, values)}

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        pairs = [(variable, weights[name].reshape(K.int_shape(variable))) for name, variable in self._tensors()]
        K.batch_set_value(pairs)

    def weights(self):
        return self._canonical(K.batch_get_value([variable for _, variable in self._tensors()]))

    def without_dropout(self):
        # Keras 2 builds dropout into the graph when the layer is called: the graph is built anew.
        config = self.model.get_config()
        for layer in config:
            if layer["class_name"] == Dropout.__name__:
                layer["config"]["rate"] = 0.0
        self._compile(Sequential.from_config(config))

    def scale_learning_rate(self, factor):
        rate = self.model.optimizer.lr
        K.set_value(rate, K.get_value(rate) * factor)

    def place(self, x, y):
        # In 2017 every step fed NumPy arrays, and labels one-hot.
        return x, to_categorical(y, K.int_shape(self.model.output)[-1])

    def gradients(self, batch):
        x, y = batch
        inputs = self.model.inputs + self.model.targets + self.model.sample_weights + [K.learning_phase()]
        variables = [variable for _, variable in self._tensors()]
        gradients = K.gradients(self.model.total_loss, variables)
        compute = K.function(inputs, [self.model.output, self.model.total_loss] + gradients)
        outputs, loss, *found = compute([x, y, np.ones(len(x)), 1])
        return np.log(outputs), float(loss), self._canonical(found)

    def outputs(self, batch):
        return np.log(self.model.predict_on_batch(batch[0]))

    def fit(self, x, y, batch_size):
        """Train one epoch with Keras' own loop over arrays in memory, in the order given; return the mean loss."""
        x, y = self.place(x, y)
        return self.model.fit(x, y, batch_size=batch_size, epochs=1, shuffle=False, verbose=0).history["loss"][0]

    def _train(self, batch):
        return self.model.train_on_batch(*batch)  # a NumPy number: the session has waited

    def _infer(self, batch):
        return self.outputs(batch).sum()  # of probabilities alone the sum would be the batch size, whatever they are

    def wait(self, handle):
        return float(handle)
