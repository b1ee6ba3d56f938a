"""CNTK 2, its own Python API: how a model file is run, and how its parameters map to the canonical layout.

In a model file, `Model(x)` applies the network to an input and returns its outputs, and `loss(z, y)` their loss. Where
batch norm trains it is `Model(x, minibatch_size)`, since its average forgets by the example. A parameter that no layer
makes bears its canonical name.
"""

import ctypes
import inspect
import os
import re

import numpy as np

from bench.errors import Unsupported

# CNTK's wheel asks for OpenMPI 1.10 by these names, and no system has it any more. One process calls none of its
# functions but those that 4.1, the last release with bindings for C++, still has.
WANTED = {"libmpi.so.12": "libmpi.so.40", "libmpi_cxx.so.1": "libmpi_cxx.so.40"}


def _link_libraries(folder):
    """Make links to the system's OpenMPI by the names that CNTK wants, in a folder that the loader looks into.

    The loader reads LD_LIBRARY_PATH when a process starts, so framework.toml sets it, and the folder is there by then.
    """
    for wanted, found in WANTED.items():
        try:
            ctypes.CDLL(found, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            raise Unsupported("CNTK 2.7 needs OpenMPI's %s: apt-get install libopenmpi3" % found) from None
        with open("/proc/self/maps") as file:
            path = re.search(r"/\S*/%s\S*" % re.escape(found), file.read()).group()
        link = os.path.join(folder, wanted)
        partial = "%s.%d" % (link, os.getpid())  # another process may make it at the same time
        os.symlink(path, partial)
        os.replace(partial, link)


_link_libraries(os.environ["LD_LIBRARY_PATH"])

import cntk as C  # noqa: E402 - it needs those links
from cntk.logging.graph import depth_first_search  # noqa: E402

OUT_OF_MEMORY = ()  # a RuntimeError like any other
LAYERS = {  # what the canon calls a layer's weights, and which parameters these stack along the outputs
    "Dense": {"kernel": ["W"], "bias": ["b"]},
    "Convolution": {"kernel": ["W"], "bias": ["b"]},
    "BatchNormalization": {
        "scale": ["scale"],
        "offset": ["bias"],
        "mean": ["aggregate_mean"],
        "variance": ["aggregate_variance"],
    },
    "GRU": {"kernel": ["W"], "recurrent_kernel": ["H", "H1"], "bias": ["b"]},
}
# Of a canonical kernel: outputs first, then inputs, then space; and a dense layer reads images with channels first.
AXES = {"Convolution": (3, 2, 0, 1), "Dense": (2, 0, 1, 3)}


def devices():
    return ["cpu"]  # the pinned wheel is CNTK's CPU build: its GPU build wants CUDA 10 of its year


def configure(device, threads, precision):
    if device != "cpu" or precision != "fp32":
        raise Unsupported("CNTK 2 is measured on the CPU in float32, not on the %s in %s." % (device, precision))
    C.try_set_default_device(C.cpu())
    C.cntk_py.set_max_num_cputhreads(threads)


def loaded():
    return {"cntk": C.__version__}


def peak_memory_bytes():
    return None


def _input(x):
    """Return the input for a batch that is placed: a sequence of words, or a vector or image."""
    return C.sequence.input_variable(1) if x.shape[2:] == (1,) else C.input_variable(x.shape[1:])


def _placed(x):
    """Return a canonical batch as CNTK is fed with it: NumPy's float32 arrays."""
    if x.dtype.kind == "i":
        return x[:, :, None].astype(np.float32)
    return np.ascontiguousarray(x.transpose(0, 3, 1, 2)) if x.ndim == 4 else x


def _to_cntk(layer, value, shape):
    """Return a canonical array as CNTK holds it."""
    if value.ndim == 4:
        value = value.transpose(AXES[layer])
    return np.ascontiguousarray(value).reshape(shape)


def _from_cntk(layer, value, shape):
    """Return what CNTK holds as a canonical array of this shape."""
    if len(shape) != 4:
        return value.reshape(shape)
    axes = AXES[layer]
    return value.reshape([shape[axis] for axis in axes]).transpose(np.argsort(axes))


def _is_layer(node):
    return getattr(node, "is_block", False) and node.op_name in LAYERS and node.name


def _is_dropout(node):
    return getattr(node, "op_name", "") == "Dropout" and not node.is_block  # the operation in the layer


class Program:
    """One network, its loss and its trainer, ready to step."""

    def __init__(self, source, task, mode, optimizer, x):
        self.source = source
        self.optimizer = source.OPTIMIZERS[optimizer] if task == "train" else None
        self.step = self._train if task == "train" else self._infer
        self.counts = len(inspect.signature(source.Model).parameters) > 1  # batch norm in it counts examples
        self.has_dropout = True
        self.scale = 1.0
        self.shapes = {}
        self.has_begun = False
        self._build(_placed(x))

    def _build(self, x):
        """Make the graph for batches like `x`: a graph has images of one side."""
        self.example = x
        self.x = _input(x)
        self.z = self.source.Model(self.x, len(x)) if self.counts else self.source.Model(self.x)
        self.layers = depth_first_search(self.z, _is_layer)
        if not self.has_dropout:
            for dropout in depth_first_search(self.z, _is_dropout, depth=-1):
                dropout.set_attribute("dropoutRate", 0.0)
        if self.optimizer:
            self.y = C.input_variable(self.z.shape)
            self.loss = self.source.loss(self.z, self.y)
            self.learner = self._scaled(self.optimizer(self.z.parameters))
            self.trainer = C.Trainer(self.z, self.loss, [self.learner])

    def _fits(self, x):
        return x.shape[1:] == self.example.shape[1:] and (len(x) == len(self.example) or not self.counts)

    def _scaled(self, learner):
        rate = getattr(learner, "rate", None)  # of a learner that a model file wrote
        if rate is not None:
            rate.value = np.asarray(self.scale * rate.value)
        elif self.scale != 1:
            schedule = C.learning_parameter_schedule(self.scale * learner.learning_rate(), C.learners.IGNORE)
            learner.reset_learning_rate(schedule)
        return learner

    def _tensors(self):
        """Yield (canonical name, the kind of its layer, the variables that hold it) of every weight."""
        for layer in self.layers:
            for leaf, names in LAYERS[layer.op_name].items():
                yield layer.name + "." + leaf, layer.op_name, [getattr(layer, name) for name in names]
        for parameter in self.z.parameters:
            if "." in parameter.name:
                yield parameter.name, None, [parameter]

    def _canonical(self, name, layer, values):
        return _from_cntk(layer, np.concatenate(values, axis=-1), self.shapes[name])

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        for name, layer, variables in self._tensors():
            ends = np.cumsum([variable.shape[-1] for variable in variables])[:-1]
            for variable, value in zip(variables, np.split(weights[name], ends, axis=-1)):
                variable.value = _to_cntk(layer, value, variable.shape)
        for layer in self.layers:
            if layer.op_name == "BatchNormalization":
                layer.aggregate_count.value = np.ones((), np.float32)  # at 0, CNTK refuses to infer

    def weights(self):
        return {
            name: self._canonical(name, layer, [variable.value for variable in variables])
            for name, layer, variables in self._tensors()
        }

    def without_dropout(self):
        self.has_dropout = False
        self._build(self.example)

    def scale_learning_rate(self, factor):
        self.scale *= factor
        self._build(self.example)

    def place(self, x, y):
        # Every step is fed with NumPy arrays, and labels one-hot.
        x = _placed(x)
        if not self.has_begun and not self._fits(x):
            weights = self.weights()
            self._build(x)
            self.load(weights)
        return x, np.eye(self.z.shape[-1], dtype=np.float32)[y]

    def _fed(self, batch):
        x, y = batch
        return {self.x: x, self.y: y}

    def gradients(self, batch):
        trained = [
            (name, layer, variables) for name, layer, variables in self._tensors() if variables[0].is_parameter
        ]  # fmt: skip
        both = C.combine([self.z, self.loss])  # a loss alone does not tell what its network put out
        found, results = both.grad(
            self._fed(batch),
            wrt=[variable for _, _, variables in trained for variable in variables],
            outputs=[self.z.output, self.loss.output],
            grad_root=self.loss.output,
        )
        losses = results[self.loss.output]
        gradients = {
            # Of the sum of the batch: a learner divides by its size.
            name: self._canonical(name, layer, [found[variable] / len(losses) for variable in variables])
            for name, layer, variables in trained
        }
        return results[self.z.output], float(losses.mean()), gradients

    def outputs(self, batch):
        return self.z.eval({self.x: batch[0]})

    def _train(self, batch):
        self.has_begun = True
        self.trainer.train_minibatch(self._fed(batch))
        return self.trainer.previous_minibatch_loss_average  # a Python number: CNTK has computed

    def _infer(self, batch):
        return self.outputs(batch).sum()

    def wait(self, handle):
        return float(handle)
