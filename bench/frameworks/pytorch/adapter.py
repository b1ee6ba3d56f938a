"""PyTorch: how a model file is run, and how its tensors map to the canonical layout."""

from types import SimpleNamespace
from typing import NamedTuple, Optional

import numpy as np
import torch
from torch import nn

from bench import compiling
from bench.errors import DefinitionError

OUT_OF_MEMORY = (torch.OutOfMemoryError,)
NORM = {"weight": "scale", "bias": "offset", "running_mean": "mean", "running_var": "variance"}
RECURRENT = {"weight_ih": "kernel", "weight_hh": "recurrent_kernel", "bias_ih": "bias", "bias_hh": "recurrent_bias"}
OTHERS = {"weight": "kernel", "bias": "bias"}
LAYERS = {  # what the canon calls a layer's own tensors
    "BatchNorm1d": NORM,
    "BatchNorm2d": NORM,
    "LayerNorm": NORM,
    "Embedding": {"weight": "table"},
    "GRU": RECURRENT,
    "GRUCell": RECURRENT,
    "LSTM": RECURRENT,
    "LSTMCell": RECURRENT,
}
AXES = {2: (1, 0), 3: (2, 1, 0), 4: (3, 2, 0, 1)}  # of a canonical kernel: outputs first, then inputs, then space
where = SimpleNamespace(device=torch.device("cpu"))


class How(NamedTuple):
    """What a mode is made of; what is tuned takes fused optimisers, and tries out cuDNN's algorithms."""

    compiler: Optional[str] = None  # the mode of torch.compile
    layout: torch.memory_format = torch.contiguous_format
    is_tuned: bool = False
    is_frozen: bool = False


MODES = {
    "eager": How(),
    "compiled": How("default"),
    "compiled_channels_last": How("default", torch.channels_last),
    "channels_last": How(None, torch.channels_last, is_tuned=True),
    "reduce_overhead": How("reduce-overhead", torch.channels_last, is_tuned=True),
    "max_autotune": How("max-autotune", torch.channels_last, is_tuned=True),
    "frozen": How("default", torch.channels_last, is_tuned=True, is_frozen=True),
}


def devices():
    return (["gpu"] if torch.cuda.is_available() else []) + ["cpu"]


def configure(device, threads, precision):
    # torch.set_default_device would put a mode under every call of torch: 3 to 14 % of a small step.
    where.device = torch.device("cuda" if device == "gpu" else "cpu")
    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
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


def forget_peak():
    if torch.cuda.is_available():
        torch.cuda.reset_peak_memory_stats()


def what_compiled(program):
    if not program.how.compiler:
        return None
    counters = torch._dynamo.utils.counters
    graphs = counters["stats"]["unique_graphs"] if counters["inductor"] else 0  # captured, and compiled or loaded
    return "%d %s of the model" % (graphs, "graph" if graphs == 1 else "graphs") if graphs else compiling.NOTHING


def mixed(source):
    """Return a model file in mixed precision, as the AMP guide has it: products in bfloat16, weights in float32."""

    class Model(source.Model):
        def forward(self, *inputs):
            with torch.autocast(where.device.type, torch.bfloat16):
                return super().forward(*inputs).float()

    return SimpleNamespace(**dict(vars(source), Model=Model))


def _own_name(module, name):
    """Return what the canon calls a layer's own tensor; None for what no other framework has."""
    row = next((LAYERS[each.__name__] for each in type(module).__mro__ if each.__name__ in LAYERS), OTHERS)
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
    if isinstance(module, (nn.GRU, nn.GRUCell)):
        return _swap_gates(value.T)
    return value.transpose(AXES[value.ndim]) if name.endswith("kernel") else value


def _from_torch(name, value, module, canonical_shape):
    if isinstance(module, (nn.GRU, nn.GRUCell)):
        return _swap_gates(value).T
    if not name.endswith("kernel"):
        return value
    axes = AXES[len(canonical_shape)]
    return value.reshape([canonical_shape[axis] for axis in axes]).transpose(np.argsort(axes))


def _place(value, layout):
    """Copy an array to the device; images to channels first, or last in memory alone."""
    tensor = torch.as_tensor(value)
    if where.device.type == "cuda":
        tensor = tensor.pin_memory().to(where.device, non_blocking=True)
    return tensor.permute(0, 3, 1, 2).contiguous(memory_format=layout) if tensor.ndim == 4 else tensor


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer, _):
        self.source = source
        self.how = MODES[mode]
        torch.backends.cudnn.benchmark = self.how.is_tuned
        self.model = source.Model().to(where.device, memory_format=self.how.layout)
        self.model.train(task == "train")
        trained = [parameter for parameter in self.model.parameters() if parameter.requires_grad]
        self.optimizer = source.OPTIMIZERS[optimizer](trained) if task == "train" else None
        for group in self.optimizer.param_groups if self.optimizer and self.how.is_tuned else ():
            if "fused" in group:  # not every optimiser has that kernel
                group["fused"] = True
        options = {"freezing": True} if self.how.is_frozen else None
        compiler = None if self.how.is_frozen else self.how.compiler  # torch.compile takes a mode or options
        self.run = torch.compile(self.model, mode=compiler, options=options) if self.how.compiler else self.model
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
        parts = np.split(tensor.detach().cpu().numpy(), len(names))
        return {name: _from_torch(name, part, module, self.shapes[name]) for name, part in zip(names, parts)}

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        with torch.no_grad():
            for names, module, tensor in self._tensors():
                value = np.concatenate([_to_torch(name, weights[name], module) for name in names])
                tensor.copy_(torch.as_tensor(np.ascontiguousarray(value)).reshape(tensor.shape))
        if self.how.is_frozen:
            torch._dynamo.reset()  # its constants are the old weights

    def weights(self):
        return {name: value.copy() for each in self._tensors() for name, value in self._canonical(*each).items()}

    def without_dropout(self):
        for module in self.model.modules():
            if isinstance(module, nn.modules.dropout._DropoutNd):
                module.p = 0.0
            elif isinstance(getattr(module, "dropout", None), float):  # attention's, and that between recurrent layers
                module.dropout = 0.0

    def scale_learning_rate(self, factor):
        for group in self.optimizer.param_groups:
            group["lr"] *= factor

    def place(self, x, y):
        inputs = x if isinstance(x, tuple) else (x,)
        y = y.astype(np.int64) if y.dtype == np.int32 else y
        return [_place(value, self.how.layout) for value in inputs], _place(y, self.how.layout)

    def gradients(self, batch):
        inputs, y = batch
        self.model.zero_grad()
        outputs = self.run(*inputs)
        loss = self.source.loss(outputs, y)
        loss.backward()
        gradients = {}
        for names, module, tensor in self._tensors():
            if tensor.requires_grad:
                gradients.update(self._canonical(names, module, tensor.grad))
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
