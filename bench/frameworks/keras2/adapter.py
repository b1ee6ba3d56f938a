"""Keras 2 of 2017: how a model file is run, and how its weights map to the canonical layout, whatever the backend.

What differs between the backends (threads, gradients, how images and kernels lie) is in backend_<name>.py beside this
file.
"""

import os

import numpy as np

from bench import registry
from bench.errors import Unsupported

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = os.environ["KERAS_BACKEND"]
backend = registry.load_module(os.path.join(HERE, "backend_%s.py" % NAME), "bench_keras2_backend_" + NAME)

import keras  # noqa: E402 - CNTK's backend first makes its libraries be found
from keras import backend as K  # noqa: E402
from keras.layers import BatchNormalization, Conv2D, Dense, Dropout  # noqa: E402
from keras.utils import to_categorical  # noqa: E402

OUT_OF_MEMORY = backend.OUT_OF_MEMORY
LAYERS = {  # what the canon calls a layer's weights, in Keras' order
    "Dense": ("kernel", "bias"),
    "Conv2D": ("kernel", "bias"),
    "Embedding": ("table",),
    "LSTM": ("kernel", "recurrent_kernel", "bias"),
    "GRU": ("kernel", "recurrent_kernel", "bias"),
}
STATISTICS = ("mean", "variance")  # of a batch norm, that move and have no gradient


def devices():
    return ["cpu"]  # the pinned wheels are CPU builds: the GPU builds of 2017 want CUDA 8 or 9


def configure(device, threads, precision):
    if device != "cpu" or precision != "fp32":
        raise Unsupported("Keras 2 is measured on the CPU in float32, not on the %s in %s." % (device, precision))
    K.set_image_data_format(backend.IMAGES)
    backend.configure(threads)


def loaded():
    package = getattr(backend, "KERAS", "keras")  # MXNet's fork has a name of its own
    return dict(backend.loaded(), **{package: keras.__version__})


def peak_memory_bytes():
    return None


def _leaves(layer):
    """Return what the canon calls a layer's weights, in Keras' order."""
    if isinstance(layer, BatchNormalization):
        return ("scale",) * layer.scale + ("offset",) * layer.center + STATISTICS
    return LAYERS.get(type(layer).__name__, ())


def _flattens_images(layer, shape):
    """Say whether a dense layer reads images that were flattened with channels first, where the canon has them last."""
    return isinstance(layer, Dense) and len(shape) == 4 and backend.IMAGES == "channels_first"


def _to_keras(layer, value, shape):
    """Return a canonical array as Keras holds it."""
    if _flattens_images(layer, value.shape):
        value = value.transpose(2, 0, 1, 3)
    if isinstance(layer, Conv2D) and value.ndim == 4:
        value = backend.turned(value)
    return np.ascontiguousarray(value).reshape(shape)


def _from_keras(layer, value, shape):
    """Return what Keras holds as a canonical array of this shape."""
    if _flattens_images(layer, shape):
        height, width, channels, outputs = shape
        return value.reshape(channels, height, width, outputs).transpose(1, 2, 0, 3)
    value = value.reshape(shape)
    return backend.turned(value) if isinstance(layer, Conv2D) and value.ndim == 4 else value


def what_compiled(program):
    return backend.what_compiled(program.model) if hasattr(backend, "what_compiled") else None


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
        self.backward = None

    def _tensors(self):
        """Yield (canonical name, layer, variable) of every weight."""
        for layer in self.model.layers:
            own = getattr(layer, "layer", layer)  # of TimeDistributed
            for leaf, variable in zip(_leaves(own), own.weights):
                yield layer.name + "." + leaf, own, variable

    def _canonical(self, tensors, values):
        return {name: _from_keras(layer, value, self.shapes[name]) for (name, layer, _), value in zip(tensors, values)}

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        K.batch_set_value([
            (variable, _to_keras(layer, weights[name], K.int_shape(variable)))
            for name, layer, variable in self._tensors()
        ])  # fmt: skip

    def weights(self):
        tensors = list(self._tensors())
        return self._canonical(tensors, K.batch_get_value([variable for _, _, variable in tensors]))

    def without_dropout(self):
        # Keras 2 builds dropout into the graph when the layer is called: the graph is built anew.
        config = self.model.get_config()
        for layer in config["layers"] if isinstance(config, dict) else config:  # Sequential's is a list
            if layer["class_name"] == Dropout.__name__:
                layer["config"]["rate"] = 0.0
        self._compile(type(self.model).from_config(config))

    def scale_learning_rate(self, factor):
        rate = self.model.optimizer.lr
        K.set_value(rate, K.get_value(rate) * factor)

    def place(self, x, y):
        # In 2017 every step fed NumPy arrays, and labels one-hot.
        labels = to_categorical(y, K.int_shape(self.model.output)[-1])
        if isinstance(x, tuple):
            return list(x), labels
        wanted = self.model.input_shape[1:]
        if any(size not in (None, own) for size, own in zip(wanted, x.shape[1:])):  # images, to channels first
            x = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
        return x, labels

    def gradients(self, batch):
        x, y = batch
        values = (x if isinstance(x, list) else [x]) + [y, np.ones(len(y), np.float32)]
        tensors = [each for each in self._tensors() if not each[0].endswith(STATISTICS)]
        if not self.backward:
            self.backward = backend.backward(self.model, [variable for _, _, variable in tensors])
        outputs, loss, *found = self.backward(values)
        return np.log(outputs), float(loss), self._canonical(tensors, found)

    def outputs(self, batch):
        return np.log(self.model.predict_on_batch(batch[0]))

    def fit(self, x, y, batch_size):
        """Train one epoch with Keras' own loop over arrays in memory, in the order given; return the mean loss."""
        x, y = self.place(x, y)
        return self.model.fit(x, y, batch_size=batch_size, epochs=1, shuffle=False, verbose=0).history["loss"][0]

    def _train(self, batch):
        return self.model.train_on_batch(*batch)  # a NumPy number: the backend has computed

    def _infer(self, batch):
        return self.outputs(batch).sum()  # of probabilities alone the sum would be the batch size, whatever they are

    def wait(self, handle):
        return float(handle)
