"""MLX: how a model file is run, and how its arrays map to the canonical layout."""

import mlx.core as mx
import numpy as np
from mlx import nn
from mlx.utils import tree_flatten

from bench import compiling
from bench.errors import Unsupported

OUT_OF_MEMORY = (MemoryError,)
NORM = {"weight": "scale", "bias": "offset", "running_mean": "mean", "running_var": "variance"}
OTHERS = {"weight": "kernel", "bias": "bias"}
LAYERS = {  # what the canon calls a layer's own arrays
    "BatchNorm": NORM,
    "LayerNorm": NORM,
    "Embedding": {"weight": "table"},
    "GRU": {"Wx": "kernel", "Wh": "recurrent_kernel", "b": "bias", "bh": "recurrent_bias"},
    "LSTM": {"Wx": "kernel", "Wh": "recurrent_kernel", "bias": "bias"},
}


def devices():
    return (["gpu"] if mx.cuda.is_available() else []) + ["cpu"]


def configure(device, threads, precision):
    if precision != "fp32":
        raise Unsupported("MLX is measured in float32, not in %s." % precision)
    # MLX has no setting for the number of threads: on a CPU, one computes all.
    mx.set_default_device(mx.gpu if device == "gpu" else mx.cpu)


def loaded():
    has_gpu = mx.cuda.is_available()
    return {
        "mlx": mx.__version__,
        "numpy": np.__version__,
        "device_name": mx.device_info(mx.gpu).get("device_name") if has_gpu else None,
    }


def peak_memory_bytes():
    return mx.get_peak_memory() if mx.cuda.is_available() else None


def forget_peak():
    mx.reset_peak_memory()


def what_compiled(program):
    """Say how often the step was traced: a function that MLX did not compile runs in Python at each call."""
    if not program.is_compiled:
        return None
    is_traced_only = program.python_runs < program.steps
    return compiling.in_words("the whole step", program.python_runs) if is_traced_only else compiling.NOTHING


def _swap_gates(rows):
    """Exchange the first two of three blocks of rows: MLX orders a GRU's gates r, z, n; the canon is z, r, h."""
    first, second, candidate = np.split(rows, 3)
    return np.concatenate([second, first, candidate])


def _to_mlx(name, value, module):
    """Return a canonical array with its outputs first, as MLX holds it."""
    if name.endswith("kernel"):
        value = np.moveaxis(value, -1, 0)
    return _swap_gates(value) if isinstance(module, nn.GRU) else value


def _from_mlx(name, value, module, canonical_shape):
    if isinstance(module, nn.GRU):
        value = _swap_gates(value)
    if not name.endswith("kernel"):
        return value
    return np.moveaxis(value.reshape(canonical_shape[-1:] + canonical_shape[:-1]), 0, -1)


class Program:
    """One model, its loss and its optimizer, ready to step."""

    def __init__(self, source, task, mode, optimizer, _):
        self.source = source
        self.is_compiled = mode == "compile"
        self.model = source.Model()
        self.model.train(task == "train")
        self.modules = dict(self.model.named_modules())
        self.shapes = {}
        self.steps = self.python_runs = 0
        self.state = [self.model.state, mx.random.state]  # a model's state holds its weights and moving statistics
        self.forward = self._compiled(self.model, self.state)
        if task == "train":
            self.optimizer = source.OPTIMIZERS[optimizer]()
            self.optimizer.init(self.model.trainable_parameters())
            self.loss_and_gradients = nn.value_and_grad(self.model, self._loss)
            self.compute_gradients = self._compiled(self.loss_and_gradients, self.state)
            self.state = self.state + [self.optimizer.state]
            self.run = self._compiled(self._step, self.state)
            self.step = self._train
        else:
            self.run = self._compiled(self._sum, self.state)
            self.step = self._infer

    def _compiled(self, function, state):
        return mx.compile(function, inputs=state, outputs=state) if self.is_compiled else function

    def _names(self, path):
        """Return the canonical names of the parts that an array stacks along its outputs, and the layer it is of."""
        layer, _, leaf = path.rpartition(".")
        for suffix, parts in getattr(self.source, "LEAVES", {}).items():
            if ("." + path).endswith("." + suffix):
                return [path[: -len(suffix)] + part for part in parts], self.modules[layer]
        module = self.modules[layer]
        row = next((LAYERS[kind.__name__] for kind in type(module).__mro__ if kind.__name__ in LAYERS), OTHERS)
        return ["%s.%s" % (layer, row[leaf])], module

    def _canonical(self, tree):
        """Return {canonical name: NumPy array} of a tree of arrays."""
        found = {}
        for path, array in tree_flatten(tree):
            names, module = self._names(path)
            for name, part in zip(names, np.split(np.array(array), len(names))):
                found[name] = _from_mlx(name, part, module, self.shapes[name])
        return found

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        arrays = []
        for path, array in tree_flatten(self.model.parameters()):
            names, module = self._names(path)
            value = np.concatenate([_to_mlx(name, weights[name], module) for name in names])
            arrays.append((path, mx.array(value.reshape(array.shape))))
        self.model.load_weights(arrays)
        mx.eval(self.model.state)

    def weights(self):
        return self._canonical(self.model.parameters())

    def without_dropout(self):
        for module in self.model.modules():
            if isinstance(module, nn.Dropout):
                module._p_1 = 1.0  # the share that it keeps; MLX has no public name for it

    def scale_learning_rate(self, factor):
        self.optimizer.learning_rate = self.optimizer.learning_rate * factor

    def place(self, x, y):
        inputs = x if isinstance(x, tuple) else (x,)
        return [mx.array(value) for value in inputs], mx.array(y)

    def _loss(self, inputs, y):
        outputs = self.model(*inputs)
        return self.source.loss(outputs, y), outputs

    def gradients(self, batch):
        (loss, outputs), gradients = self.compute_gradients(*batch)
        mx.eval(loss, outputs, gradients, self.state)
        return np.array(outputs), loss.item(), self._canonical(gradients)

    def outputs(self, batch):
        was_training = self.model.training
        self.model.eval()
        outputs = np.array(self.forward(*batch[0]))
        self.model.train(was_training)
        return outputs

    def _step(self, inputs, y):
        self.python_runs += 1
        (loss, _), gradients = self.loss_and_gradients(inputs, y)
        self.optimizer.update(self.model, gradients)
        return loss

    def _train(self, batch):
        self.steps += 1
        loss = self.run(*batch)
        mx.eval(loss, self.state)
        return loss

    def _sum(self, inputs):
        self.python_runs += 1
        return self.model(*inputs).sum()

    def _infer(self, batch):
        self.steps += 1
        total = self.run(batch[0])
        mx.eval(total)
        return total

    def wait(self, handle):
        return handle.item()
