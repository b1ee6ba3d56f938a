"""Lasagne on Theano 1: how a model file is run, and how its parameters map to the canonical layout.

In a model file, `Model(x)` returns the last layer of a network that reads the symbolic variable `x`.
"""

import sys
import types

import numpy as np
import theano
import theano.tensor as T
from theano.gof.cmodule import GCC_compiler
from theano.tensor import signal
from theano.tensor.signal import pool

from bench.errors import Unsupported


def _max_pool_2d(x, ds, ignore_border=True, st=None, padding=(0, 0), mode="max"):
    """Pool as Theano's module `downsample` did: Lasagne 0.1 imports it, and it is gone from Theano 0.9 on."""
    return pool.pool_2d(x, ws=ds, ignore_border=ignore_border, stride=st, pad=padding, mode=mode)


signal.downsample = types.ModuleType("theano.tensor.signal.downsample")
signal.downsample.max_pool_2d = _max_pool_2d
sys.modules[signal.downsample.__name__] = signal.downsample

import lasagne  # noqa: E402 - it imports that module

OUT_OF_MEMORY = ()  # a MemoryError like any other
LAYERS = {  # what the canon calls a layer's parameters, and the layer itself
    "DenseLayer": {"kernel": "W", "bias": "b"},
    "Conv2DLayer": {"kernel": "W", "bias": "b"},
    "EmbeddingLayer": {"table": "W"},
    "BatchNormLayer": {"scale": "gamma", "offset": "beta", "mean": "mean", "variance": "var"},
    "TwoBiasGRULayer": {"kernel": "W_in", "recurrent_kernel": "W_hid", "bias": "b_in", "recurrent_bias": "b_hid"},
}


def devices():
    return ["cpu"]  # Theano's GPU backend of these years wants CUDA 8 or 9


def configure(device, threads, precision):
    """Refuse what cannot be set; OMP_NUM_THREADS and OPENBLAS_NUM_THREADS set Theano's threads."""
    if device != "cpu" or precision != "fp32":
        raise Unsupported("Lasagne is measured on the CPU in float32, not on the %s in %s." % (device, precision))
    if not theano.config.cxx or not GCC_compiler.try_flags([theano.config.blas.ldflags]):
        raise Unsupported(
            "Theano compiles with g++ and links OpenBLAS, and one is not here: apt-get install g++ libopenblas-dev"
        )


def loaded():
    return {"lasagne": lasagne.__version__, "theano": theano.__version__}


def peak_memory_bytes():
    return None


def what_compiled(program):
    """Say how many operations of the step are C++, and not Python."""
    made = program._compile_training if program.optimizer else program._compile_inference
    step = program.functions.get(made)
    if step is None:
        return None
    thunks = step.fn.thunks
    return "%d of %d operations, each for itself" % (sum(hasattr(each, "cthunk") for each in thunks), len(thunks))


def _to_lasagne(value, shape):
    """Return a canonical array as a layer of this shape holds it."""
    if value.ndim == 4 and len(shape) == 4:  # turned by half, too: Theano's convolution is the mathematical one
        value = value[::-1, ::-1].transpose(3, 2, 0, 1)
    elif value.ndim == 4:  # of a dense layer that reads images with channels first
        value = value.transpose(2, 0, 1, 3)
    return np.ascontiguousarray(value).reshape(shape)


def _from_lasagne(value, shape):
    """Return what a layer holds as a canonical array of this shape."""
    if len(shape) == 4 and value.ndim == 4:
        value = value.transpose(2, 3, 1, 0)[::-1, ::-1]
    elif len(shape) == 4:
        height, width, channels, outputs = shape
        value = value.reshape(channels, height, width, outputs).transpose(1, 2, 0, 3)
    return np.array(value, order="C").reshape(shape)


class Program:
    """One network, its loss and its optimiser; each function is compiled when it is first called."""

    def __init__(self, source, task, mode, optimizer, x):
        self.source = source
        self.x = T.TensorType(str(x.dtype), [False] * x.ndim)("inputs")
        self.y = T.ivector("targets")
        self.network = source.Model(self.x)
        self.optimizer = source.OPTIMIZERS[optimizer]() if task == "train" else None
        self.step = self._train if task == "train" else self._infer
        self.functions = {}
        self.shapes = {}

    def _parameters(self):
        """Return {canonical name: shared variable} of every weight."""
        found = {}
        for layer in lasagne.layers.get_all_layers(self.network):
            for leaf, attribute in LAYERS.get(type(layer).__name__, {}).items():
                found[layer.name + "." + leaf] = getattr(layer, attribute)
        return found

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        for name, parameter in self._parameters().items():
            parameter.set_value(_to_lasagne(weights[name], parameter.get_value(borrow=True).shape))

    def weights(self):
        named = self._parameters().items()
        return {name: _from_lasagne(parameter.get_value(), self.shapes[name]) for name, parameter in named}

    def without_dropout(self):
        for layer in lasagne.layers.get_all_layers(self.network):
            if isinstance(layer, lasagne.layers.DropoutLayer):
                layer.p = 0.0  # no function is compiled before the first step

    def scale_learning_rate(self, factor):
        self.optimizer.keywords["learning_rate"] *= factor

    def place(self, x, y):
        # Every step takes NumPy arrays.
        return np.ascontiguousarray(x.transpose(0, 3, 1, 2) if x.ndim == 4 else x), y

    def _function(self, compile_it):
        if compile_it not in self.functions:
            self.functions[compile_it] = compile_it()
        return self.functions[compile_it]

    def _training(self):
        """Return what the network predicts in training mode, its loss, and what is trained."""
        prediction = lasagne.layers.get_output(self.network)
        loss = self.source.loss(prediction, self.y).mean()
        return prediction, loss, lasagne.layers.get_all_params(self.network, trainable=True)

    def _compile_training(self):
        _, loss, parameters = self._training()
        return theano.function([self.x, self.y], loss, updates=self.optimizer(loss, parameters))

    def _compile_gradients(self):
        prediction, loss, parameters = self._training()
        found = [T.log(prediction), loss] + theano.grad(loss, parameters)
        return theano.function([self.x, self.y], found, no_default_updates=True)  # a batch norm's statistics stay

    def _compile_inference(self):
        prediction = lasagne.layers.get_output(self.network, deterministic=True)
        if self.source.loss:  # of probabilities
            prediction = T.log(prediction)
        return theano.function([self.x], prediction)

    def gradients(self, batch):
        outputs, loss, *found = self._function(self._compile_gradients)(*batch)
        names = {parameter: name for name, parameter in self._parameters().items()}
        trained = lasagne.layers.get_all_params(self.network, trainable=True)
        gradients = {
            names[parameter]: _from_lasagne(gradient, self.shapes[names[parameter]])
            for parameter, gradient in zip(trained, found)
        }
        return outputs, float(loss), gradients

    def outputs(self, batch):
        return self._function(self._compile_inference)(batch[0])

    def _train(self, batch):
        return self._function(self._compile_training)(*batch)  # a NumPy array: Theano has computed

    def _infer(self, batch):
        return self.outputs(batch).sum()

    def wait(self, handle):
        return float(handle)
