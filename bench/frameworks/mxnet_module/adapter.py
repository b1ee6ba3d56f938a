"""MXNet 1, the Module API: how a model file is run, and how its graph's arrays map to the canonical layout.

In a model file, `Model()` returns the symbol of a network, which ends in logits. `loss` puts on top of it what a module
trains: mx.sym.SoftmaxOutput. A layer's name is the canon's; MXNet calls its arrays `stage1.0.norm1_gamma`.
"""

import json

import mxnet as mx
import numpy as np
from mxnet import nd

from bench.errors import DefinitionError, Unsupported

OUT_OF_MEMORY = (MemoryError,)
OTHERS = {"weight": "kernel", "bias": "bias"}
LAYERS = {  # what the canon calls an operation's own arrays, or those of a cell that is made of several operations
    "BatchNorm": {"gamma": "scale", "beta": "offset", "moving_mean": "mean", "moving_var": "variance"},
    "Embedding": {"weight": "table"},
    "GRUCell": {
        "i2h_weight": "kernel",
        "h2h_weight": "recurrent_kernel",
        "i2h_bias": "bias",
        "h2h_bias": "recurrent_bias",
    },
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


def _arrays(symbol):
    """Yield (canonical name, MXNet's name, layer) of each array that a graph reads, without its data."""
    nodes = json.loads(symbol.tojson())["nodes"]
    seen = {"data"}
    for node in nodes:
        for source in (nodes[entry[0]] for entry in node["inputs"]):
            name = source["name"]
            if source["op"] != "null" or name in seen:
                continue
            seen.add(name)  # the steps of a recurrent network share theirs
            layer = "GRUCell" if "2h_" in name else node["op"]
            row = LAYERS.get(layer, OTHERS)
            own = [each for each in row if name.endswith("_" + each)]
            if not own:
                raise DefinitionError("%s reads an array %r, which the adapter does not know." % (layer, name))
            yield name[: -len(own[0]) - 1] + "." + row[own[0]], name, layer


def _without_dropout(symbol):
    """Return the same graph with every dropout rate at 0."""
    graph = json.loads(symbol.tojson())
    for node in graph["nodes"]:
        if node["op"] == "Dropout":
            node["attrs"]["p"] = "0"
    return mx.sym.load_json(json.dumps(graph))


def _swap_gates(rows):
    """Exchange the first two of three blocks of rows: MXNet orders a GRU's gates r, z, h; the canon is z, r, h."""
    reset, update, candidate = np.split(rows, 3)
    return np.concatenate([update, reset, candidate])


def _to_mxnet(name, value, layer):
    if layer == "GRUCell":
        return _swap_gates(value.T)
    if not name.endswith("kernel"):
        return value
    value = value.transpose(AXES[value.ndim])
    return value.reshape(len(value), -1) if layer == "FullyConnected" else value


def _from_mxnet(name, value, layer, canonical_shape):
    if layer == "GRUCell":
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


class Program:
    """One network, and the modules that are bound to it once a batch shows their shapes."""

    def __init__(self, source, task, mode, optimizer, x):
        self.source = source
        self.network = source.Model()
        self.arrays = list(_arrays(self.network))
        self.init_optimizer = source.OPTIMIZERS[optimizer] if task == "train" else None
        self.step = self._train if task == "train" else self._infer
        self.module = self.predictor = None
        self.params = None, None  # as drawn, unless loaded
        self.factor = 1.0
        self.shapes = {}

    def _bind(self, batch):
        """Make the module, as its users do from what an iterator tells of its batches."""
        if self.init_optimizer:
            self.module = mx.mod.Module(self.source.loss(self.network, name="softmax"), context=mx.cpu())
            self.module.bind(
                data_shapes=[("data", batch.data[0].shape)], label_shapes=[("softmax_label", batch.label[0].shape)]
            )
        else:
            self.module = self.predictor = self._bound_for_inference(batch)
        self.module.init_params(mx.init.Xavier(), *self.params)
        self.params = None, None
        if self.init_optimizer:
            self.init_optimizer(self.module)  # it divides gradients by the batch size
            self._scale(self.module._optimizer)

    def _bound_for_inference(self, batch, shared_module=None):
        module = mx.mod.Module(self.network, label_names=None, context=mx.cpu())
        module.bind(data_shapes=[("data", batch.data[0].shape)], for_training=False, shared_module=shared_module)
        return module

    def _scale(self, optimizer):
        if self.factor != 1 and isinstance(optimizer, mx.optimizer.AdaDelta):
            optimizer.update = _scaled(optimizer.update, self.factor)  # it has no learning rate
        else:
            optimizer.set_learning_rate(optimizer.learning_rate * self.factor)

    def _held(self, kind):
        """Return arrays of the executor by their names: get_params() fetches none before an update has changed them."""
        return getattr(self.module._exec_group.execs[0], kind)

    def _canonical(self, held):
        """Return what the canon calls those of the arrays that are given."""
        return {
            canonical: _from_mxnet(canonical, held[name].asnumpy(), layer, self.shapes[canonical])
            for canonical, name, layer in self.arrays
            if name in held
        }

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        args = {
            name: nd.array(_to_mxnet(canonical, weights[canonical], layer)) for canonical, name, layer in self.arrays
        }
        moving = {name: args.pop(name) for name in self.network.list_auxiliary_states()}
        if self.module:
            self.module.set_params(args, moving)
        else:
            self.params = args, moving

    def weights(self):
        return self._canonical(dict(self._held("arg_dict"), **self._held("aux_dict")))

    def without_dropout(self):
        self.network = _without_dropout(self.network)

    def scale_learning_rate(self, factor):
        self.factor *= factor

    def place(self, x, y):
        batch = mx.io.DataBatch([_place(x)], [_place(y)] if self.init_optimizer else None)
        if not self.module:
            self._bind(batch)
        return batch

    def _loss(self, batch):
        """Return the mean loss of the probabilities that the last forward pass gave: it is not in the graph."""
        return -nd.log(nd.pick(self.module.get_outputs()[0], batch.label[0], axis=1)).mean()

    def gradients(self, batch):
        self.module.forward_backward(batch)
        size = batch.label[0].shape[0]  # SoftmaxOutput's gradient is that of the sum
        held = self._held("grad_dict")
        gradients = self._canonical({name: value / size for name, value in held.items() if value is not None})
        log_probabilities = nd.log(self.module.get_outputs()[0])
        return log_probabilities.asnumpy(), self.wait(self._loss(batch)), gradients

    def outputs(self, batch):
        if not self.predictor:
            self.predictor = self._bound_for_inference(batch, shared_module=self.module)  # which shares its weights
        self.predictor.forward(mx.io.DataBatch(batch.data))
        return self.predictor.get_outputs()[0].asnumpy()

    def fit(self, x, y, batch_size):
        """Train one epoch with Module.fit, in the order given; return the mean loss, which a metric sums."""
        if not self.module:
            self.place(x[:batch_size], y[:batch_size])
        images = x.transpose(0, 3, 1, 2) if x.ndim == 4 else x
        examples = mx.io.NDArrayIter(images, y, batch_size, last_batch_handle="discard")
        last, metric = len(y) // batch_size - 1, mx.metric.CrossEntropy()

        def wait(so_far):
            if so_far.nbatch == last:
                nd.waitall()  # else fit() reads, and puts back, older statistics than the last step's (upstream/)

        self.module.fit(examples, eval_metric=metric, batch_end_callback=wait, num_epoch=1)
        return float(metric.get()[1])

    def _train(self, batch):
        self.module.forward_backward(batch)
        self.module.update()
        return self._loss(batch)

    def _infer(self, batch):
        self.module.forward(batch)
        return self.module.get_outputs()[0].sum()

    def wait(self, handle):
        nd.waitall()  # asnumpy() of a loss waits for the forward pass alone: backward and update would run on
        return float(handle.asscalar())
