"""Keras 3: how a model file is run, and how its variables map to the canonical layout, whatever the backend.

What differs between the backends (devices, precision, memory, gradients) is in backend_<name>.py beside this file.
"""

import os

import keras
import numpy as np
from keras import layers

from bench import registry

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = keras.backend.backend()
backend = registry.load_module(os.path.join(HERE, "backend_%s.py" % NAME), "bench_keras_backend_" + NAME)

OUT_OF_MEMORY = backend.OUT_OF_MEMORY
devices = backend.devices
configure = backend.configure
peak_memory_bytes = backend.peak_memory_bytes

LEAVES = {
    "embeddings": "table",
    "gamma": "scale",
    "beta": "offset",
    "moving_mean": "mean",
    "moving_variance": "variance",
}


def loaded():
    return {"keras": keras.__version__, **backend.loaded()}


def _leaves(variable):
    """Return the canonical leaves a weight holds: a GRU's two biases are the rows of one."""
    if variable.name == "bias" and len(variable.shape) == 2:
        return ["bias", "recurrent_bias"]
    return [LEAVES.get(variable.name, variable.name)]


class Program:
    """One compiled Keras model, ready to step."""

    def __init__(self, source, task, mode, optimizer):
        self.model = source.Model()
        self.model.compile(
            optimizer=source.OPTIMIZERS[optimizer]() if task == "train" else None,
            loss=source.loss if task == "train" else None,
            run_eagerly=mode == "eager",
            jit_compile=backend.JIT_COMPILE if mode == "compiled" else False,
        )
        self.forward_backward = backend.forward_backward(self.model, source.loss) if task == "train" else None
        self.step = self._train if task == "train" else self._infer
        self.shapes = {}

    def _tensors(self):
        """Yield (canonical names, variable) of every weight."""
        # A layer's name cannot hold a dot on the PyTorch backend: `stage1.0.conv1` is called `stage1_0_conv1`.
        paths = [name.rpartition(".")[0] for name in self.shapes]
        path_of = {path.replace(".", "_"): path for path in paths}
        for layer in self.model.layers:
            for variable in layer.weights:
                yield [path_of[layer.name] + "." + leaf for leaf in _leaves(variable)], variable

    def _canonical(self, names, value):
        rows = np.array(value).reshape(len(names), -1)  # a copy: on the CPU the value shares the variable's memory
        return {name: row.reshape(self.shapes[name]) for name, row in zip(names, rows)}

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        for names, variable in self._tensors():
            variable.assign(np.stack([weights[name] for name in names]).reshape(variable.shape))

    def weights(self):
        found = {}
        for names, variable in self._tensors():
            found.update(self._canonical(names, keras.ops.convert_to_numpy(variable.value)))
        return found

    def without_dropout(self):
        for layer in self.model.layers:
            if isinstance(layer, layers.Dropout):
                layer.rate = 0.0

    def scale_learning_rate(self, factor):
        self.model.optimizer.learning_rate = float(self.model.optimizer.learning_rate) * factor

    def place(self, x, y):
        return keras.tree.map_structure(keras.ops.convert_to_tensor, x), keras.ops.convert_to_tensor(y)

    def gradients(self, batch):
        outputs, loss, gradients = self.forward_backward(*batch)
        found = {}
        names_of = {id(variable): names for names, variable in self._tensors()}
        for variable, gradient in zip(self.model.trainable_variables, gradients):
            found.update(self._canonical(names_of[id(variable)], keras.ops.convert_to_numpy(gradient)))
        return keras.ops.convert_to_numpy(outputs), float(loss), found

    def outputs(self, batch):
        return self.model.predict_on_batch(batch[0])

    def fit(self, x, y, batch_size):
        """Train one epoch with Keras' own loop over arrays in memory, in the order given; return the mean loss."""
        return self.model.fit(x, y, batch_size=batch_size, shuffle=False, verbose=0).history["loss"][0]

    def _train(self, batch):
        # Returns a Python float, so Keras itself waits for the device on every step. Keras resets its running mean
        # before each batch: the number is this step's loss.
        return self.model.train_on_batch(*batch)

    def _infer(self, batch):
        return self.model.predict_on_batch(batch[0]).sum()  # a NumPy array: Keras has waited

    def wait(self, handle):
        return float(handle)
