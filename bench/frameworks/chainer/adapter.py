"""Chainer: how a model file is run, and how its arrays map to the canonical layout.

A dropout rate is an attribute of the model whose name begins with `dropout`, as in Chainer's own recurrent links.
"""

import tempfile

import chainer
import chainer.links as L
import numpy as np
from chainer import optimizers, training
from chainer.datasets import TupleDataset
from chainer.functions.noise.dropout import Dropout
from chainer.iterators import SerialIterator
from chainer.training import extensions

from bench.errors import Unsupported

OUT_OF_MEMORY = (MemoryError,)
LAYERS = {  # what the canon calls a link's weights, and which of its arrays these stack along the outputs
    "Linear": {"kernel": ["W"], "bias": ["b"]},
    "Convolution2D": {"kernel": ["W"], "bias": ["b"]},
    "EmbedID": {"table": ["W"]},
    "BatchNormalization": {"scale": ["gamma"], "offset": ["beta"], "mean": ["avg_mean"], "variance": ["avg_var"]},
    "NStepGRU": {  # Chainer numbers a GRU's gates r, z, h; the canon is z, r, h
        "kernel": ["w1", "w0", "w2"],
        "recurrent_kernel": ["w4", "w3", "w5"],
        "bias": ["b1", "b0", "b2"],
        "recurrent_bias": ["b4", "b3", "b5"],
    },
}
IDEEP = getattr(chainer.config, "use_ideep", "never") != "never"  # set by CHAINER_USE_IDEEP, from Chainer 4 on
FORWARD_CPU = Dropout.forward_cpu
AXES = {2: (1, 0), 4: (3, 2, 0, 1)}  # of a canonical kernel: outputs first, then inputs, then space
RATES = {optimizers.Adam: "alpha", optimizers.MomentumSGD: "lr", optimizers.RMSprop: "lr"}


def devices():
    return ["cpu"]  # CuPy of these years wants CUDA 8 to 10


def configure(device, threads, precision):
    if device != "cpu" or precision != "fp32":
        raise Unsupported("Chainer is measured on the CPU in float32, not on the %s in %s." % (device, precision))
    # Threads are those of NumPy's OpenBLAS and of iDeep, set by environment variables, which they read when loaded.
    if IDEEP:
        chainer.backends.intel64.check_ideep_available()
        Dropout.forward_cpu = _dropout


def _dropout(self, x):
    """Drop out by NumPy, Chainer's other way: iDeep's takes its seed from the clock's seconds (upstream/)."""
    with chainer.using_config("use_ideep", "never"):
        return FORWARD_CPU(self, (np.asarray(x[0]),))


def loaded():
    versions = {"chainer": chainer.__version__, "numpy": np.__version__}
    if IDEEP:
        versions["ideep4py"] = chainer.backends.intel64.ideep.__version__
    return versions


def peak_memory_bytes():
    return None


def _to_chainer(name, value, shape):
    """Return a canonical array, or a part of one, as Chainer holds it."""
    if name.endswith("kernel"):
        value = value.transpose(AXES[value.ndim])
    return np.array(value, order="C").reshape(shape)  # a copy: Chainer updates in place


def _from_chainer(name, value, shape):
    """Return what Chainer holds as a canonical array of this shape."""
    if not name.endswith("kernel"):
        return value.reshape(shape)
    axes = AXES[len(shape)]
    return value.reshape([shape[axis] for axis in axes]).transpose(np.argsort(axes))


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer, _):
        self.source = source
        self.model = source.Model()
        self._to_device()
        self.optimizer = source.OPTIMIZERS[optimizer]() if task == "train" else None
        if self.optimizer:
            self.optimizer.setup(self.model)
        self.step = self._train if task == "train" else self._infer
        self.shapes = {}

    def _to_device(self):
        if IDEEP:
            self.model.to_device("@intel64")  # as the guide to iDeep has it: weights are its arrays, not NumPy's

    def _names(self):
        """Yield (canonical name, the link that has its arrays, their attributes) of every weight."""
        for path, link in self.model.namedlinks(skipself=True):
            owner = link[0] if isinstance(link, L.NStepGRU) else link  # its only layer
            for leaf, attributes in LAYERS.get(type(link).__name__, {}).items():
                if getattr(owner, attributes[0]) is not None:  # a convolution without a bias
                    yield path[1:].replace("/", ".") + "." + leaf, owner, attributes

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        for name, link, attributes in self._names():
            for attribute, part in zip(attributes, np.split(weights[name], len(attributes), axis=-1)):
                held = getattr(link, attribute)
                array = _to_chainer(name, part, held.shape)
                if isinstance(held, chainer.Parameter):
                    held.data = array
                else:  # a moving statistic is an array itself
                    setattr(link, attribute, array)
        self._to_device()

    def _canonical(self, name, held):
        shape = self.shapes[name][:-1] + (self.shapes[name][-1] // len(held),)
        arrays = [np.array(each.data if isinstance(each, chainer.Parameter) else each) for each in held]
        return np.concatenate([_from_chainer(name, array, shape) for array in arrays], axis=-1)

    def weights(self):
        return {
            name: self._canonical(name, [getattr(link, attribute) for attribute in attributes])
            for name, link, attributes in self._names()
        }

    def without_dropout(self):
        for link in self.model.links():
            for name in vars(link):
                if name.startswith("dropout"):
                    setattr(link, name, 0.0)

    def scale_learning_rate(self, factor):
        if isinstance(self.optimizer, optimizers.AdaDelta):  # it has none, and only parity wants another than 1
            for parameter in self.model.params():
                _shorten(parameter.update_rule, factor)
        else:
            rate = RATES[type(self.optimizer)]
            setattr(self.optimizer, rate, getattr(self.optimizer, rate) * factor)

    def place(self, x, y):
        inputs = x if isinstance(x, tuple) else (x,)
        return [_place(value) for value in inputs], y

    def _loss(self, *batch):
        inputs, y = batch[:-1], batch[-1]
        with chainer.using_config("train", True):
            return self.source.loss(self.model(*inputs), y)

    def gradients(self, batch):
        inputs, y = batch
        with chainer.using_config("train", True):
            outputs = self.model(*inputs)
        loss = self.source.loss(outputs, y)
        self.model.cleargrads()
        loss.backward()
        gradients = {}
        for name, link, attributes in self._names():
            held = [getattr(link, attribute) for attribute in attributes]
            if isinstance(held[0], chainer.Parameter):
                gradients[name] = self._canonical(name, [parameter.grad for parameter in held])
        return np.array(outputs.data), float(loss.data), gradients

    def outputs(self, batch):
        with chainer.using_config("train", False), chainer.no_backprop_mode():
            return np.array(self.model(*batch[0]).data)

    def fit(self, x, y, batch_size):
        """Train one epoch with Chainer's own trainer, in the order given; return the mean loss."""
        inputs, y = self.place(x, y)

        def loss(*batch):
            value = self._loss(*batch)
            chainer.report({"loss": value}, self.model)
            return value

        examples = SerialIterator(TupleDataset(*(inputs + [y])), batch_size, repeat=False, shuffle=False)
        updater = training.StandardUpdater(examples, self.optimizer, loss_func=loss)
        log = extensions.LogReport()  # of an epoch: the mean over its batches
        with tempfile.TemporaryDirectory() as folder:
            trainer = training.Trainer(updater, (1, "epoch"), out=folder)
            trainer.extend(log)
            trainer.run()
        return float(log.log[-1]["main/loss"])

    def _train(self, batch):
        inputs, y = batch
        loss = self._loss(*inputs, y)
        self.model.cleargrads()
        loss.backward()
        self.optimizer.update()
        return loss.data  # NumPy has computed it; the graph that leads to it is let go

    def _infer(self, batch):
        return self.outputs(batch).sum()

    def wait(self, handle):
        return float(handle)


def _place(value):
    """Copy an array; images to channels first."""
    return np.array(value.transpose(0, 3, 1, 2) if value.ndim == 4 else value, order="C")


def _shorten(rule, factor):
    """Let an update rule that does not read its parameter move it by `factor` times what it would."""
    update_core = rule.update_core

    def shortened(parameter):
        before = parameter.data
        parameter.data = np.zeros_like(before)
        update_core(parameter)
        before += factor * parameter.data
        parameter.data = before

    rule.update_core = shortened
