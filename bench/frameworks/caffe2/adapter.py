"""Caffe2, nets run by a workspace: how a model file is built and run, and how its blobs map to the canonical layout.

In a model file, `Model(model, data, is_test)` adds the network to a ModelHelper and returns its outputs.
`loss(model, outputs, label)` adds their loss. An optimizer adds its updates to a model that has gradients.
"""

import numpy as np
from caffe2.python import core, model_helper, recurrent, workspace

from bench.errors import Unsupported

OUT_OF_MEMORY = ()  # a CPU's allocator raises RuntimeError, as everything does here
LEAVES = {"w": "kernel", "b": "bias", "s": "scale", "rm": "mean", "riv": "variance"}  # ends of blobs' names, after a _
GATES = ("update_gate_t", "reset_gate_t", "output_gate_t")  # of a GRU's recurrent product, in the canon's order
AXES = {2: (1, 0), 4: (3, 2, 0, 1)}  # of a canonical kernel: outputs first, then inputs, then space
DROPOUT = ("Dropout", "DropoutGrad")
RECURRENT = ("RecurrentNetwork", "RecurrentNetworkGradient")


def devices():
    return ["cpu"]  # the wheel has CUDA 9, which knows no GPU of today


def configure(device, threads, precision):
    if device != "cpu" or precision != "fp32":
        raise Unsupported("Caffe2 is measured on the CPU in float32, not on the %s in %s." % (device, precision))
    flags = [flag % threads for flag in ("--caffe2_omp_num_threads=%d", "--caffe2_mkl_num_threads=%d")]
    core.GlobalInit(["caffe2"] + flags)


def loaded():
    import pkg_resources  # it takes a while, and is not part of Caffe2

    return {"torch": pkg_resources.get_distribution("torch").version}


def peak_memory_bytes():
    return None


def _part(blob, blobs):
    """Return (canonical name, place among the blobs that hold it together) of a blob of weights."""
    layer, _, end = blob.rpartition("_")
    if end not in LEAVES:
        return blob.replace("/", "."), 0
    scope, _, own = layer.rpartition("/")
    leaf = "offset" if end == "b" and layer + "_s" in blobs else LEAVES[end]
    if own == "i2h":
        return "%s.%s" % (scope, leaf), 0
    if own in GATES:
        return "%s.recurrent_%s" % (scope, leaf), GATES.index(own)
    return "%s.%s" % (layer.replace("/", "."), leaf), 0


def _parts(blobs):
    """Return {canonical name: the blobs that hold it}, in the order in which they stack up to it."""
    found = {}
    for blob in sorted(blobs, key=lambda blob: _part(blob, blobs)[1]):
        found.setdefault(_part(blob, blobs)[0], []).append(blob)
    return found


def _swapped(rows, blobs):
    """Exchange the first two of three blocks of rows of a GRU's input: its gates are r, z, h; the canon's z, r, h."""
    if "/i2h_" not in blobs[0]:
        return rows
    first, second, third = np.split(rows, 3)
    return np.concatenate([second, first, third])


def _to_caffe2(name, value, blobs):
    """Return the rows of a canonical array: outputs come first in Caffe2."""
    return _swapped(value.transpose(AXES[value.ndim]) if name.endswith("kernel") else value, blobs)


def _from_caffe2(name, rows, blobs, shape):
    rows = _swapped(rows, blobs)
    if not name.endswith("kernel"):
        return rows.reshape(shape)
    axes = AXES[len(shape)]
    return rows.reshape([shape[axis] for axis in axes]).transpose(np.argsort(axes))


class Program:
    """One model, its loss and its optimiser as nets, and the workspace that runs them."""

    def __init__(self, source, task, mode, optimizer, x):
        self.source = source
        self.step = self._train if task == "train" else self._infer
        self.data, self.label = core.BlobReference("data"), core.BlobReference("label")
        self.test = model_helper.ModelHelper("test", init_params=False)
        self.test_outputs = source.Model(self.test, self.data, is_test=1)
        self.model = self.test
        self.nets = [self.test.net]
        if task == "train":
            self._build_training(source.OPTIMIZERS[optimizer])
        for operator in self._operators(RECURRENT):  # as elsewhere one operator at a time, with all threads inside it
            recurrent.set_rnn_executor_config(operator, num_threads=1)
        self.workspace = self.test.net.Name()  # which no other net has
        self.is_created = False
        self.fed = None
        self.shapes = {}
        self.blobs = {str(blob): self.model.get_param_info(blob).shape for blob in self.model.GetAllParams()}
        self.parts = _parts(self.blobs)

    def _build_training(self, optimize):
        self.model = model_helper.ModelHelper("train")
        self.outputs_in_training = self.source.Model(self.model, self.data, is_test=0)
        self.loss = self.source.loss(self.model, self.outputs_in_training, self.label)
        self.model.AddGradientOperators([self.loss])
        self.backward = core.Net(self.model.net.Proto())  # a copy, which has no updates
        optimize(self.model)
        self.nets += [self.backward, self.model.net]

    def _operators(self, types):
        return [operator for net in self.nets for operator in net.Proto().op if operator.type in types]

    def _scale(self, types, name, factor):
        """Multiply an argument of some operators, which a net takes over when it is created."""
        for operator in self._operators(types):
            for argument in operator.arg:
                if argument.name == name:
                    argument.f *= factor

    def without_dropout(self):
        self._scale(DROPOUT, "ratio", 0)

    def scale_learning_rate(self, factor):
        self._scale(("LearningRate",), "base_lr", factor)

    def load(self, weights):
        workspace.SwitchWorkspace(self.workspace, True)
        if not self.is_created:
            workspace.RunNetOnce(self.model.param_init_net)
        self.shapes = {name: value.shape for name, value in weights.items()}
        for name, blobs in self.parts.items():
            rows = _to_caffe2(name, weights[name], blobs)
            for blob, part in zip(blobs, np.split(rows, len(blobs))):
                workspace.FeedBlob(blob, np.array(part, order="C").reshape(self.blobs[blob]))
        if not self.is_created:
            for net in self.nets:
                workspace.CreateNet(net, input_blobs=["data", "label"])
            self.is_created = True

    def _fetched(self, name, blobs):
        rows = np.concatenate([workspace.FetchBlob(blob) for blob in blobs])
        return _from_caffe2(name, rows, self.parts[name], self.shapes[name])

    def weights(self):
        workspace.SwitchWorkspace(self.workspace)
        return {name: self._fetched(name, blobs) for name, blobs in self.parts.items()}

    def place(self, x, y):
        return np.array(x.transpose(0, 3, 1, 2) if x.ndim == 4 else x, order="C"), y

    def _feed(self, batch):
        workspace.SwitchWorkspace(self.workspace)
        if self.fed is not batch:  # a batch stays in its blobs until another is fed
            workspace.FeedBlob(self.data, batch[0])
            workspace.FeedBlob(self.label, batch[1])
            self.fed = batch

    def gradients(self, batch):
        self._feed(batch)
        workspace.RunNet(self.backward)
        of = {str(blob): gradient for blob, gradient in self.model.param_to_grad.items()}
        trained = [(name, blobs) for name, blobs in self.parts.items() if blobs[0] in of]
        found = {name: self._fetched(name, [of[blob] for blob in blobs]) for name, blobs in trained}
        return workspace.FetchBlob(self.outputs_in_training), float(workspace.FetchBlob(self.loss)), found

    def outputs(self, batch):
        self._feed(batch)
        workspace.RunNet(self.test.net)
        return workspace.FetchBlob(self.test_outputs)

    def _train(self, batch):
        self._feed(batch)
        workspace.RunNet(self.model.net)
        return workspace.FetchBlob(self.loss)  # a NumPy number: all operators have run

    def _infer(self, batch):
        return self.outputs(batch).sum()

    def wait(self, handle):
        return float(handle)
