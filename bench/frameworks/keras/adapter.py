"""Keras 3: how a model file is run, and how its variables map to the canonical layout, whatever the backend.

What differs between the backends (devices, precision, memory, gradients) is in backend_<name>.py beside this file.
"""

import os
from types import SimpleNamespace

import keras
import numpy as np
from keras import layers

from bench import registry
from bench.measure import Clock

HERE = os.path.dirname(os.path.abspath(__file__))
NAME = keras.backend.backend()
backend = registry.load_module(os.path.join(HERE, "backend_%s.py" % NAME), "bench_keras_backend_" + NAME)

OUT_OF_MEMORY = backend.OUT_OF_MEMORY
devices = backend.devices
configure = backend.configure
peak_memory_bytes = backend.peak_memory_bytes
forget_peak = backend.forget_peak

LEAVES = {
    "embeddings": "table",
    "gamma": "scale",
    "beta": "offset",
    "moving_mean": "mean",
    "moving_variance": "variance",
}


def loaded():
    return {"keras": keras.__version__, **backend.loaded()}


def what_compiled(program):
    if program.model.run_eagerly:
        return None
    if program.by_hand:
        by_hand = program.by_hand
        names = ("train_step", "step") if program.model.optimizer else ("compute", "forward")
        step = next(getattr(by_hand, name) for name in names if hasattr(by_hand, name))
    else:
        step = program.model.train_function or program.model.predict_function
    return backend.what_compiled(step, program.model.jit_compile)


def mixed(source):
    """Return a model file under the policy of Keras' guide to mixed precision: its outputs in float32.

    But for those of a subclass of Model, which has no graph of layers to add one to.
    """

    def model():
        keras.mixed_precision.set_dtype_policy("mixed_bfloat16")
        try:
            model = source.Model()
        finally:
            keras.mixed_precision.set_dtype_policy("float32")
        if isinstance(source.Model, type):
            return model
        return keras.Model(model.inputs, layers.Activation("linear", dtype="float32")(model.outputs[0]))

    return SimpleNamespace(**dict(vars(source), Model=model))


def _layers(model):
    """Yield every layer of a model, and of the models that are layers of it."""
    for layer in model.layers:
        if isinstance(layer, keras.Model):
            yield from _layers(layer)
        else:
            yield layer


def _own_name(layer, variable):
    """Return a variable's name below its layer, `kernel`, or `query.kernel` in a layer that is made of layers."""
    parts = variable.path.split("/")
    is_plain = isinstance(layer, layers.RNN) or parts[-2] == layer.name
    return ".".join(parts[-1:] if is_plain else parts[-2:])


class Timed(keras.callbacks.Callback):
    """Reads the clock when an epoch's first step begins, and when the loss of its last is there."""

    async_safe = True  # it fetches nothing that Keras does not: without this, Keras would wait for it at every step

    def __init__(self, steps, clock):
        super().__init__()
        self.last, self.clock = steps - 1, clock

    def on_train_batch_begin(self, batch, logs=None):
        if batch == 0:
            self.clock.begin()

    def on_train_batch_end(self, batch, logs=None):
        if batch == self.last:
            self.clock.end()
            self.loss = logs["loss"]


def steps_made(program):
    """Return how many updates of its weights a program has made."""
    return int(program.model.optimizer.iterations)


class Program:
    """One Keras model, ready to step: by fit, or by the training loop that the backend's guide writes by hand."""

    def __init__(self, source, task, mode, optimizer, _):
        self.source = source
        self.model = source.Model()
        self.is_eager = mode.endswith("_eager")
        self.jit_compile = mode != "loop" and not self.is_eager and backend.jit_compile(self.model, mode == "fit_xla")
        trains = task == "train"
        self.model.compile(
            optimizer=backend.prepared(source.OPTIMIZERS[optimizer]()) if trains else None,
            loss=source.loss if trains else None,
            run_eagerly=self.is_eager,
            jit_compile=self.jit_compile,
        )
        self.forward_backward = backend.forward_backward(self.model, source.loss) if trains else None
        self.by_hand = backend.Loop(self.model, source.loss if trains else None) if mode.startswith("loop") else None
        if self.by_hand:
            self.step = self.by_hand.step if trains else self.by_hand.forward
        elif trains:
            self.loop, self.fit, self.step = self._loop, self._fit, self._step
        else:
            self.step = self._predict
        self.shapes = {}

    def _names(self, path, layer, variable):
        """Return the canonical names of what a variable holds: one, but for what is packed."""
        own = "%s.%s" % (path, _own_name(layer, variable))
        for suffix, parts in getattr(self.source, "LEAVES", {}).items():
            if ("." + own).endswith("." + suffix):
                return [own[: -len(suffix)] + part for part in parts]
        if variable.name == "bias" and len(variable.shape) == 2 and isinstance(layer, layers.RNN):
            return [path + ".bias", path + ".recurrent_bias"]  # a GRU's two biases are the rows of one
        stem, _, leaf = own.rpartition(".")
        return ["%s.%s" % (stem, LEAVES.get(leaf, leaf))]

    def _tensors(self):
        """Yield (canonical names, variable) of every weight."""
        # A layer's name cannot hold a dot on the PyTorch backend: `stage1.0.conv1` is called `stage1_0_conv1`.
        path_of = {}
        for name in self.shapes:
            parts = name.split(".")
            for end in range(1, len(parts)):
                path_of["_".join(parts[:end])] = ".".join(parts[:end])
        for layer in _layers(self.model):
            for variable in layer.weights:
                yield self._names(path_of[layer.name], layer, variable), variable

    def _canonical(self, names, value):
        rows = np.array(value).reshape(len(names), -1)  # a copy: on the CPU the value shares the variable's memory
        return {name: row.reshape(self.shapes[name]) for name, row in zip(names, rows)}

    def _sync(self):
        if self.by_hand:
            self.by_hand.sync()

    def load(self, weights):
        self._sync()
        self.shapes = {name: value.shape for name, value in weights.items()}
        for names, variable in self._tensors():
            variable.assign(np.stack([weights[name] for name in names]).reshape(variable.shape))

    def weights(self):
        self._sync()
        found = {}
        for names, variable in self._tensors():
            found.update(self._canonical(names, keras.ops.convert_to_numpy(variable.value)))
        return found

    def without_dropout(self):
        for layer in self.model._flatten_layers():
            if isinstance(layer, layers.Dropout):  # attention's, too
                layer.rate = 0.0

    def scale_learning_rate(self, factor):
        self.model.optimizer.learning_rate = float(self.model.optimizer.learning_rate) * factor

    def place(self, x, y):
        return keras.tree.map_structure(backend.tensor, x), backend.tensor(y)

    def gradients(self, batch):
        self._sync()
        outputs, loss, gradients = self.forward_backward(*batch)
        found = {}
        names_of = {id(variable): names for names, variable in self._tensors()}
        for variable, gradient in zip(self.model.trainable_variables, gradients):
            found.update(self._canonical(names_of[id(variable)], keras.ops.convert_to_numpy(gradient)))
        return keras.ops.convert_to_numpy(outputs), float(loss), found

    def outputs(self, batch):
        self._sync()
        return self.model.predict_on_batch(batch[0])

    def _loop(self, batch, steps, clock):
        """Make steps on one batch in one epoch of fit, without its progress bar; return their mean loss."""
        timed = Timed(steps, clock)
        self.model.fit(backend.endless(batch), steps_per_epoch=steps, epochs=1, callbacks=[timed], verbose=0)
        return timed.loss

    def _fit(self, x, y, batch_size):
        """Train one epoch with Keras' own loop over arrays in memory, in the order given; return the mean loss."""
        return self.model.fit(x, y, batch_size=batch_size, shuffle=False, verbose=0).history["loss"][0]

    def _step(self, batch):
        return self._loop(batch, 1, Clock())

    def _predict(self, batch):
        return self.model.predict_on_batch(batch[0]).sum()  # a NumPy array: Keras has waited

    def wait(self, handle):
        return float(handle)
