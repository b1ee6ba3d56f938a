"""PyTorch 1: how a model file is run, and how its tensors map to the canonical layout, in calls that 1.0 has."""

import numpy as np
import torch
from torch import nn

from bench.errors import DefinitionError, Unsupported

OUT_OF_MEMORY = ()  # a CPU's allocator raises RuntimeError, as everything does here
NORM = {"weight": "scale", "bias": "offset", "running_mean": "mean", "running_var": "variance"}
RECURRENT = {"weight_ih": "kernel", "weight_hh": "recurrent_kernel", "bias_ih": "bias", "bias_hh": "recurrent_bias"}
OTHERS = {"weight": "kernel", "bias": "bias"}
LAYERS = {  # what the canon calls a layer's own tensors
    "BatchNorm1d": NORM,
    "BatchNorm2d": NORM,
    "LayerNorm": NORM,
    "Embedding": {"weight": "table"},
    "GRU": RECURRENT,
    "LSTM": RECURRENT,
    "LSTMCell": RECURRENT,
}
AXES = {2: (1, 0), 4: (3, 2, 0, 1)}  # of a canonical kernel: outputs first, then inputs, then space


def devices():
    return ["cpu"]  # the wheels have CUDA 9 and 10, which know no GPU of today


def configure(device, threads, precision):
    if device != "cpu" or precision != "fp32":
        raise Unsupported(
            "PyTorch %s is measured on the CPU in float32, not on the %s in %s."
            % (torch.__version__.split("+")[0], device, precision)
        )
    torch.set_num_threads(threads)
    if hasattr(torch, "set_num_interop_threads"):  # 1.0 has no such pool
        torch.set_num_interop_threads(1)


def loaded():
    return {"torch": torch.__version__.split("+")[0]}


def peak_memory_bytes():
    return None


def _own_name(module, name):
    """Return what the canon calls a layer's own tensor; None for what no other framework has."""
    row = LAYERS.get(type(module).__name__, OTHERS)
    leaf, _, number = name.partition("_l")  # of a stack of recurrent layers; a cell's leaves have no number
    if row is not RECURRENT:
        if name not in row and name != "num_batches_tracked":
            raise DefinitionError(
                "%s has a tensor %r, which the adapter does not know: name it in LEAVES of the model file "
                "(bench/frameworks/README.md)." % (type(module).__name__, name)
            )
        return row.get(name)
    return "%s.%s" % (number, row[leaf]) if getattr(module, "num_layers", 1) > 1 else row[leaf]


def _swap_gates(rows):
    """Exchange the first two of three blocks of rows: PyTorch orders a GRU's gates r, z, h; the canon is z, r, h."""
    reset_or_update, other, candidate = np.split(rows, 3)
    return np.concatenate([other, reset_or_update, candidate])


def _to_torch(name, value, module):
    if isinstance(module, nn.GRU):
        return _swap_gates(value.T)
    return value.transpose(AXES[value.ndim]) if name.endswith("kernel") else value


def _from_torch(name, value, module, canonical_shape):
    if isinstance(module, nn.GRU):
        return _swap_gates(value).T
    if not name.endswith("kernel"):
        return value
    axes = AXES[len(canonical_shape)]
    return value.reshape([canonical_shape[axis] for axis in axes]).transpose(np.argsort(axes))


def _place(value):
    """Return an array as a tensor: images channels first, whole numbers as int64, which alone index a table here."""
    if value.ndim == 4:
        # A copy even of a single channel, whose old strides are contiguous, but channels last to 1.12's convolutions.
        value = np.array(value.transpose(0, 3, 1, 2), order="C")
    tensor = torch.from_numpy(value)
    return tensor.long() if tensor.dtype == torch.int32 else tensor


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer, _):
        self.source = source
        self.model = source.Model()
        self.model.train(task == "train")
        trained = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self.optimizer = source.OPTIMIZERS[optimizer](trained) if task == "train" else None
        self.step = self._train if task == "train" else self._infer
        self.shapes = {}

    def _names(self, path, module, name):
        """Return the canonical names of the parts that a tensor stacks along its outputs: one, but for packed ones."""
        own = "%s.%s" % (path, name)
        for suffix, parts in getattr(self.source, "LEAVES", {}).items():
            if ("." + own).endswith("." + suffix):
                return [own[: -len(suffix)] + part for part in parts]
        leaf = _own_name(module, name)
        return ["%s.%s" % (path, leaf)] if leaf else []

    def _tensors(self):
        """Yield (canonical names, module, tensor) of every weight that the workload states."""
        for path, module in self.model.named_modules():
            tensors = list(module.named_parameters(recurse=False)) + list(module.named_buffers(recurse=False))
            for name, tensor in tensors:
                names = self._names(path, module, name)
                # A frozen tensor that PyTorch has and the workload does not state is not a weight.
                is_trained = isinstance(tensor, nn.Parameter) and tensor.requires_grad
                if names and (names[0] in self.shapes or is_trained):
                    yield names, module, tensor

    def _canonical(self, names, module, tensor):
        parts = np.split(tensor.detach().numpy(), len(names))
        return {name: _from_torch(name, part, module, self.shapes[name]) for name, part in zip(names, parts)}

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        with torch.no_grad():
            for names, module, tensor in self._tensors():
                value = np.concatenate([_to_torch(name, weights[name], module) for name in names])
                tensor.copy_(torch.from_numpy(np.ascontiguousarray(value)).view(tensor.size()))

    def weights(self):
        return {name: value.copy() for each in self._tensors() for name, value in self._canonical(*each).items()}

    def without_dropout(self):
        for module in self.model.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0

    def scale_learning_rate(self, factor):
        for group in self.optimizer.param_groups:
            group["lr"] *= factor

    def place(self, x, y):
        inputs = x if isinstance(x, tuple) else (x,)
        return [_place(value) for value in inputs], _place(y)

    def gradients(self, batch):
        inputs, y = batch
        self.model.zero_grad()
        outputs = self.model(*inputs)
        loss = self.source.loss(outputs, y)
        loss.backward()
        gradients = {}
        for names, module, tensor in self._tensors():
            if tensor.requires_grad:
                gradients.update(self._canonical(names, module, tensor.grad))
        return outputs.detach().numpy(), loss.item(), gradients

    def outputs(self, batch):
        was_training = self.model.training
        self.model.eval()
        with torch.no_grad():
            outputs = self.model(*batch[0])
        self.model.train(was_training)
        return outputs.numpy()

    def _train(self, batch):
        inputs, y = batch
        self.optimizer.zero_grad()
        loss = self.source.loss(self.model(*inputs), y)
        loss.backward()
        self.optimizer.step()
        return loss

    def _infer(self, batch):
        with torch.no_grad():
            return self.model(*batch[0]).sum()

    def wait(self, handle):
        return handle.item()
