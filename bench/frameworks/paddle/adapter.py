"""PaddlePaddle: how a model file is run, and how its tensors map to the canonical layout."""

import numpy as np
import paddle
from paddle import nn

from bench import compiling
from bench.errors import DefinitionError, Unsupported

OUT_OF_MEMORY = (MemoryError,)
NORM = {"weight": "scale", "bias": "offset", "_mean": "mean", "_variance": "variance"}
RECURRENT = {"weight_ih": "kernel", "weight_hh": "recurrent_kernel", "bias_ih": "bias", "bias_hh": "recurrent_bias"}
OTHERS = {"weight": "kernel", "bias": "bias"}
LAYERS = {  # what the canon calls a layer's own tensors
    "BatchNorm1D": NORM,
    "BatchNorm2D": NORM,
    "LayerNorm": NORM,
    "Embedding": {"weight": "table"},
    "GRU": RECURRENT,
    "LSTM": RECURRENT,
    "LSTMCell": RECURRENT,
}
AXES = {2: (1, 0), 4: (3, 2, 0, 1)}  # of a canonical kernel: outputs first, then inputs, then space


def devices():
    return ["cpu"]  # CUDA's wheels are another package, on an index of their own


def configure(device, threads, precision):
    if device != "cpu" or precision != "fp32":
        raise Unsupported("PaddlePaddle is measured on the CPU in float32, not on the %s in %s." % (device, precision))
    # Threads are set by a variable alone: Paddle and MKL read OMP_NUM_THREADS, which every process has, when loaded.


def loaded():
    return {"paddlepaddle": paddle.__version__, "numpy": np.__version__}


def peak_memory_bytes():
    return None


def what_compiled(program):
    if not program.is_static:
        return None
    from paddle.jit.sot.symbolic.compile_cache import CompileSIRCache

    # A graph of fewer than MIN_GRAPH_SIZE operations is captured, and then runs eagerly: it was never called.
    graphs = sum(not graph.is_first_call for graph in CompileSIRCache().cache.values())
    return "%d %s of the model" % (graphs, "graph" if graphs == 1 else "graphs") if graphs else compiling.NOTHING


def _own_name(layer, name):
    """Return what the canon calls a layer's own tensor."""
    row = LAYERS.get(type(layer).__name__, OTHERS)
    leaf, _, number = name.partition("_l") if row is RECURRENT else (name, "", "")  # a cell's leaves have no number
    if leaf not in row:
        raise DefinitionError(
            "%s has a tensor %r, which the adapter does not know: name it in LEAVES of the model file "
            "(bench/frameworks/README.md)." % (type(layer).__name__, name)
        )
    return "%s.%s" % (number, row[leaf]) if getattr(layer, "num_layers", 1) > 1 else row[leaf]


def _swap_gates(rows):
    """Exchange the first two of three blocks of rows: Paddle orders a GRU's gates r, z, c; the canon is z, r, h."""
    reset_or_update, other, candidate = np.split(rows, 3)
    return np.concatenate([other, reset_or_update, candidate])


def _to_paddle(name, value, layer):
    if isinstance(layer, nn.GRU):
        return _swap_gates(value.T)
    if not name.endswith("kernel"):
        return value
    value = value.transpose(AXES[value.ndim])
    return value.reshape(len(value), -1).T if isinstance(layer, nn.Linear) else value


def _from_paddle(name, value, layer, canonical_shape):
    if isinstance(layer, nn.GRU):
        return _swap_gates(value).T
    if not name.endswith("kernel"):
        return value
    axes = AXES[len(canonical_shape)]
    value = value.T if isinstance(layer, nn.Linear) else value
    return value.reshape([canonical_shape[axis] for axis in axes]).transpose(np.argsort(axes))


def _is_trained(tensor):
    """Say whether the optimiser moves a tensor: a model file fixes one by a learning rate of 0, too."""
    return not tensor.stop_gradient and tensor.optimize_attr["learning_rate"] > 0


def _place(value):
    """Copy an array; images to channels first."""
    return paddle.to_tensor(value.transpose(0, 3, 1, 2) if value.ndim == 4 else value)


class Program:
    """One network, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer, _):
        self.source = source
        self.is_static = mode == "to_static"
        self.model = source.Model()
        self.model.train() if task == "train" else self.model.eval()
        self.optimizer = source.OPTIMIZERS[optimizer](self.model.parameters()) if task == "train" else None
        self.run = paddle.jit.to_static(self.model) if self.is_static else self.model
        self.step = self._train if task == "train" else self._infer
        self.shapes = {}

    def _names(self, path, layer, name):
        """Return the canonical names of the parts that a tensor stacks along its outputs: one, but for packed ones."""
        own = "%s.%s" % (path, name)
        for suffix, parts in getattr(self.source, "LEAVES", {}).items():
            if ("." + own).endswith("." + suffix):
                return [own[: -len(suffix)] + part for part in parts]
        return ["%s.%s" % (path, _own_name(layer, name))]

    def _tensors(self):
        """Yield (canonical names, layer, tensor) of every weight that the workload states."""
        seen = set()
        for path, layer in self.model.named_sublayers():
            for name, tensor in layer.named_parameters(include_sublayers=False):
                if id(tensor) in seen:  # a recurrent layer's cells hold its tensors once more
                    continue
                seen.add(id(tensor))
                names = self._names(path, layer, name)
                # A fixed tensor that Paddle has and the workload does not state is not a weight.
                if names[0] in self.shapes or _is_trained(tensor):
                    yield names, layer, tensor

    def _canonical(self, names, layer, tensor):
        parts = np.split(tensor.numpy(), len(names), axis=-1)
        return {name: _from_paddle(name, part, layer, self.shapes[name]) for name, part in zip(names, parts)}

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        for names, layer, tensor in self._tensors():
            value = np.concatenate([_to_paddle(name, weights[name], layer) for name in names], axis=-1)
            tensor.set_value(np.ascontiguousarray(value))

    def weights(self):
        return {name: value.copy() for each in self._tensors() for name, value in self._canonical(*each).items()}

    def without_dropout(self):
        for layer in self.model.sublayers():
            if isinstance(layer, nn.Dropout):
                layer.p = 0.0
            elif isinstance(getattr(layer, "dropout", None), float):  # attention's, and that between recurrent layers
                layer.dropout = 0.0

    def scale_learning_rate(self, factor):
        self.optimizer.set_lr(self.optimizer.get_lr() * factor)

    def place(self, x, y):
        inputs = x if isinstance(x, tuple) else (x,)
        y = y.astype(np.int64) if y.dtype == np.int32 else y
        return [_place(value) for value in inputs], _place(y)

    def gradients(self, batch):
        inputs, y = batch
        outputs = self.run(*inputs)
        loss = self.source.loss(outputs, y)
        loss.backward()
        gradients = {}
        for names, layer, tensor in self._tensors():
            if _is_trained(tensor):
                gradients.update(self._canonical(names, layer, tensor.grad))
        self.model.clear_gradients()
        return outputs.numpy(), loss.item(), gradients

    def outputs(self, batch):
        was_training = self.model.training
        self.model.eval()
        with paddle.no_grad():
            outputs = self.run(*batch[0])
        if was_training:
            self.model.train()
        return outputs.numpy()

    def _train(self, batch):
        inputs, y = batch
        loss = self.source.loss(self.run(*inputs), y)
        loss.backward()
        self.optimizer.step()
        self.optimizer.clear_grad()
        return loss

    def _infer(self, batch):
        with paddle.no_grad():
            return self.run(*batch[0]).sum()

    def wait(self, handle):
        return handle.item()
