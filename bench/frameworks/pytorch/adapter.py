"""PyTorch: how a model file is run, and how its tensors map to the canonical layout."""

import numpy as np
import torch
from torch import nn

OUT_OF_MEMORY = (torch.OutOfMemoryError,)
NORM_LEAVES = {"weight": "scale", "bias": "offset", "running_mean": "mean", "running_var": "variance"}
RECURRENT = (nn.RNNBase, nn.RNNCellBase)
RECURRENT_LEAVES = {
    "weight_ih": "kernel",
    "weight_hh": "recurrent_kernel",
    "bias_ih": "bias",
    "bias_hh": "recurrent_bias",
}


def devices():
    return (["gpu"] if torch.cuda.is_available() else []) + ["cpu"]


def configure(device, threads, precision):
    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    torch.set_default_device("cuda" if device == "gpu" else "cpu")
    # Matrix products default to full float32 and cuDNN convolutions to TF32: both are written out.
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    torch.backends.cudnn.allow_tf32 = precision == "tf32"


def loaded():
    return {
        "torch": torch.__version__.split("+")[0],
        "cuda": torch.version.cuda,
        "cudnn": str(torch.backends.cudnn.version()) if torch.cuda.is_available() else None,
        "device_name": torch.cuda.get_device_name() if torch.cuda.is_available() else None,
    }


def peak_memory_bytes():
    return torch.cuda.max_memory_allocated() if torch.cuda.is_available() else None


def _leaf(module, name):
    if isinstance(module, nn.modules.batchnorm._BatchNorm):
        return NORM_LEAVES.get(name)  # None for num_batches_tracked, which no other framework has
    if isinstance(module, RECURRENT):
        leaf, _, layer = name.partition("_l")  # a cell's leaves have no number
        is_stacked = getattr(module, "num_layers", 1) > 1
        return "%s.%s" % (layer, RECURRENT_LEAVES[leaf]) if is_stacked else RECURRENT_LEAVES[leaf]
    if isinstance(module, nn.Embedding):
        return "table"
    return {"weight": "kernel", "bias": "bias"}[name]


def _swap_gates(rows):
    """Exchange the first two of three blocks of rows: PyTorch orders a GRU's gates r, z, h; the canon is z, r, h."""
    reset_or_update, other, candidate = np.split(rows, 3)
    return np.concatenate([other, reset_or_update, candidate])


def _to_torch(value, module, shape):
    if isinstance(module, (nn.GRU, nn.GRUCell)):
        return _swap_gates(value.T)
    if isinstance(module, RECURRENT):
        return value.T
    if isinstance(module, nn.Embedding) or value.ndim == 1:
        return value
    # (inputs, outputs), (height, width, inputs, outputs): outputs first, then channels before height and width.
    axes = (1, 0) if value.ndim == 2 else (3, 2, 0, 1)
    return value.transpose(axes).reshape(shape)


def _from_torch(tensor, module, canonical_shape):
    value = tensor.detach().cpu().numpy()
    if isinstance(module, (nn.GRU, nn.GRUCell)):
        return _swap_gates(value).T
    if isinstance(module, RECURRENT):
        return value.T
    if isinstance(module, nn.Embedding) or value.ndim == 1:
        return value
    if len(canonical_shape) == 2:
        return value.T
    height, width, inputs, outputs = canonical_shape
    return value.reshape(outputs, inputs, height, width).transpose(2, 3, 1, 0)


def _place(value):
    """Copy an array to the device; images to channels first."""
    value = np.ascontiguousarray(value.transpose(0, 3, 1, 2)) if value.ndim == 4 else value
    return torch.as_tensor(value, device=torch.get_default_device())


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer):
        self.source = source
        self.model = source.Model()
        self.model.train(task == "train")
        self.optimizer = source.OPTIMIZERS[optimizer](self.model.parameters()) if task == "train" else None
        self.run = torch.compile(self.model) if mode == "compiled" else self.model
        self.step = self._train if task == "train" else self._infer
        self.shapes = {}

    def _tensors(self):
        """Yield (canonical name, module, tensor) of every weight that the workload states."""
        for path, module in self.model.named_modules():
            tensors = list(module.named_parameters(recurse=False)) + list(module.named_buffers(recurse=False))
            for name, tensor in tensors:
                canonical = "%s.%s" % (path, _leaf(module, name))
                # What a model file has frozen because PyTorch has it and the workload has not is no weight.
                if canonical in self.shapes or (isinstance(tensor, nn.Parameter) and tensor.requires_grad):
                    yield canonical, module, tensor

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        with torch.no_grad():
            for name, module, tensor in self._tensors():
                value = np.ascontiguousarray(_to_torch(weights[name], module, tuple(tensor.shape)))
                tensor.copy_(torch.as_tensor(value, device=tensor.device).reshape(tensor.shape))

    def weights(self):
        return {name: _from_torch(tensor, module, self.shapes[name]) for name, module, tensor in self._tensors()}

    def without_dropout(self):
        for module in self.model.modules():
            if isinstance(module, nn.Dropout):
                module.p = 0.0

    def scale_learning_rate(self, factor):
        for group in self.optimizer.param_groups:
            group["lr"] *= factor

    def place(self, x, y):
        inputs = x if isinstance(x, tuple) else (x,)
        return [_place(value) for value in inputs], _place(y.astype(np.int64) if y.dtype == np.int32 else y)

    def gradients(self, batch):
        inputs, y = batch
        self.model.zero_grad()
        outputs = self.run(*inputs)
        loss = self.source.loss(outputs, y)
        loss.backward()
        gradients = {
            name: _from_torch(tensor.grad, module, self.shapes[name])
            for name, module, tensor in self._tensors()
            if tensor.requires_grad
        }
        return outputs.detach().cpu().numpy(), loss.item(), gradients

    def outputs(self, batch):
        was_training = self.model.training
        self.model.eval()
        with torch.inference_mode():
            outputs = self.run(*batch[0])
        self.model.train(was_training)
        return outputs.cpu().numpy()

    def _train(self, batch):
        inputs, y = batch
        self.optimizer.zero_grad()
        loss = self.source.loss(self.run(*inputs), y)
        loss.backward()
        self.optimizer.step()
        return loss

    def _infer(self, batch):
        with torch.inference_mode():
            return self.run(*batch[0]).sum()

    def wait(self, handle):
        return handle.item()
