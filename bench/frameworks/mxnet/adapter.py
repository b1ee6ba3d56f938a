"""MXNet 1, Gluon: how a model file is run, and how its parameters map to the canonical layout."""

import mxnet as mx
import numpy as np
from mxnet import autograd, gluon, nd

from bench.errors import DefinitionError, Unsupported

OUT_OF_MEMORY = (MemoryError,)
NORM = {"gamma": "scale", "beta": "offset", "running_mean": "mean", "running_var": "variance"}
RECURRENT = {
    "l0_i2h_weight": "kernel",
    "l0_h2h_weight": "recurrent_kernel",
    "l0_i2h_bias": "bias",
    "l0_h2h_bias": "recurrent_bias",
}
OTHERS = {"weight": "kernel", "bias": "bias"}
LAYERS = {  # what the canon calls a layer's own parameters
    "BatchNorm": NORM,
    "Embedding": {"weight": "table"},
    "GRU": RECURRENT,
}
AXES = {2: (1, 0), 4: (3, 2, 0, 1)}  # of a canonical kernel: outputs first, then inputs, then space


def devices():
    return ["cpu"]  # the pinned wheel is MXNet's CPU build: its GPU builds want a CUDA of their year


def configure(device, threads, precision):
    if device != "cpu" or precision != "fp32":
        raise Unsupported("MXNet 1 is measured on the CPU in float32, not on the %s in %s." % (device, precision))
    # Threads are set by a variable alone: MXNet reads OMP_NUM_THREADS, which every process has, when it is loaded.


def loaded():
    return {"mxnet": mx.__version__}


def peak_memory_bytes():
    return None


def _blocks(block, path=""):
    """Yield (dotted path, block) of a block and of all in it: by attributes' names, in a stack by numbers from 0."""
    yield path, block
    names = {id(value): name for name, value in vars(block).items() if isinstance(value, gluon.Block)}
    children = block._children if isinstance(block._children, list) else block._children.values()  # a dict in MXNet 1.9
    for number, child in enumerate(children):
        name = names.get(id(child), str(number))
        for each in _blocks(child, path + "." + name if path else name):
            yield each


def _swap_gates(rows):
    """Exchange the first two of three blocks of rows: Gluon orders a GRU's gates r, z, h; the canon is z, r, h."""
    reset, update, candidate = np.split(rows, 3)
    return np.concatenate([update, reset, candidate])


def _to_mxnet(name, value, block):
    if isinstance(block, gluon.rnn.GRU):
        return _swap_gates(value.T)
    return value.transpose(AXES[value.ndim]) if name.endswith("kernel") else value


def _from_mxnet(name, value, block, canonical_shape):
    if isinstance(block, gluon.rnn.GRU):
        return _swap_gates(value).T
    if not name.endswith("kernel"):
        return value
    axes = AXES[len(canonical_shape)]
    return value.reshape([canonical_shape[axis] for axis in axes]).transpose(np.argsort(axes))


def _place(value):
    """Copy an array to float32, MXNet's type for class numbers and words, too; images to channels first."""
    return nd.array(value.transpose(0, 3, 1, 2) if value.ndim == 4 else value)


def _scaled(update, factor):
    """Return an optimiser's update that moves weights by `factor` times as much; what it remembers stays as it is."""

    def scaled(index, weight, grad, state):
        before = weight.copy()
        update(index, weight, grad, state)
        weight[:] = before + factor * (weight - before)

    return scaled


def what_compiled(program):
    if program.mode != "hybrid":
        return None
    graphs = sum(getattr(block, "_cached_op", None) is not None for _, block in _blocks(program.net))
    return "%d %s of the model" % (graphs, "graph" if graphs == 1 else "graphs") if graphs else None


class Program:
    """One network, its loss and its trainer, ready to step."""

    def __init__(self, source, task, mode, optimizer, x):
        self.source = source
        self.mode = mode
        self.net = source.Model()
        self.net.initialize(mx.init.Xavier(), ctx=mx.cpu())
        inputs = x if isinstance(x, tuple) else (x,)
        self.net(*[_place(value) for value in inputs])  # parameters get their shapes from the first input
        if self.mode == "hybrid":
            self.net.hybridize()
        self.trainer = source.OPTIMIZERS[optimizer](self.net.collect_params()) if task == "train" else None
        self.step = self._train if task == "train" else self._infer
        self.shapes = {}

    def _tensors(self):
        """Yield (canonical name, block, parameter) of every weight that the workload states."""
        seen = set()
        for path, block in _blocks(self.net):
            row = LAYERS.get(type(block).__name__, OTHERS)
            for full_name, parameter in block.params.items():
                if full_name in seen:
                    continue  # MXNet 1.0's recurrent layers hold cells, which share their parameters
                seen.add(full_name)
                own = full_name[len(block.params.prefix) :]
                if own not in row:
                    raise DefinitionError(
                        "%s has a parameter %r, which the adapter does not know." % (type(block).__name__, own)
                    )
                yield path + "." + row[own], block, parameter

    def _canonical(self, name, block, value):
        return _from_mxnet(name, value.asnumpy(), block, self.shapes[name])

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        for name, block, parameter in self._tensors():
            value = _to_mxnet(name, weights[name], block)
            parameter.set_data(nd.array(value.reshape(parameter.shape)))

    def weights(self):
        return {name: self._canonical(name, block, each.data()) for name, block, each in self._tensors()}

    def without_dropout(self):
        for _, block in _blocks(self.net):
            if isinstance(block, gluon.nn.Dropout):
                block._rate = 0.0  # no graph is made before the first step

    def scale_learning_rate(self, factor):
        optimizer = self.trainer._optimizer
        if factor != 1 and isinstance(optimizer, mx.optimizer.AdaDelta):
            optimizer.update = _scaled(optimizer.update, factor)  # it has no learning rate
        else:
            self.trainer.set_learning_rate(self.trainer.learning_rate * factor)

    def place(self, x, y):
        inputs = x if isinstance(x, tuple) else (x,)
        return [_place(value) for value in inputs], _place(y)

    def _forward_backward(self, batch):
        inputs, y = batch
        with autograd.record():
            outputs = self.net(*inputs)
            losses = self.source.loss(outputs, y)
        losses.backward()  # from the sum of the batch: the trainer divides by its size
        return outputs, losses

    def gradients(self, batch):
        outputs, losses = self._forward_backward(batch)
        gradients = {
            name: self._canonical(name, block, parameter.grad() / len(losses))
            for name, block, parameter in self._tensors()
            if parameter.grad_req != "null"
        }
        return outputs.asnumpy(), self.wait(losses.mean()), gradients

    def outputs(self, batch):
        return self.net(*batch[0]).asnumpy()

    def _train(self, batch):
        _, losses = self._forward_backward(batch)
        self.trainer.step(batch[1].shape[0])
        return losses.mean()

    def _infer(self, batch):
        return self.net(*batch[0]).sum()

    def wait(self, handle):
        nd.waitall()  # asnumpy() of a loss waits for the forward pass alone: backward and update would run on
        return float(handle.asscalar())
