"""What PyTorch can tell about a program of the user's own (bench/versus/inside/facts.py)."""

import sys

from bench.versus.inside import counting

IMPORT = "torch"
FETCHES = ("item", "tolist", "numpy", "cpu", "__float__", "__int__", "__bool__", "__array__", "__index__")
CELLS = ("aten::lstm_cell", "aten::gru_cell", "aten::rnn_tanh_cell", "aten::rnn_relu_cell")
FUSED = ("mkldnn_rnn_layer", "_cudnn_rnn", "_thnn_fused_lstm_cell", "_thnn_fused_gru_cell")  # FLOPs are not counted
SETTINGS = {"lr": "learning_rate", "eps": "epsilon", "alpha": "rho"}
PROFILED_STEPS = 2
COMPILED = "compiled code"  # many operations in one

STEPS = """
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"


def place(value):
    tensor = torch.as_tensor(value).to(device)
    return tensor.permute(0, 3, 1, 2).contiguous() if tensor.ndim == 4 else tensor


model = Model().to(device)
model.train()
optimizer = OPTIMIZERS["{optimizer}"]([each for each in model.parameters() if each.requires_grad])
run = {run}
inputs = [place(each) for each in (x if isinstance(x, tuple) else (x,))]
labels = place(y.astype("int64") if y.dtype == "int32" else y)


def steps(count):
    for _ in range(count):
        optimizer.zero_grad()
        value = loss(run(*inputs), labels)
        value.backward()
        optimizer.step()
    value.item()  # waits
"""
RUN = {"eager": "model", "compiled": "torch.compile(model)"}  # of the modes that `script` knows

fetches = counting.Calls(ignored=("torch.",))
loads = counting.Calls()
compiles_before = 0


def wait():
    torch = sys.modules["torch"]
    if torch.cuda.is_available() and getattr(torch.cuda, "is_initialized", lambda: True)():
        torch.cuda.synchronize()
        return "torch.cuda.synchronize"
    if hasattr(torch, "mps") and torch.backends.mps.is_available():
        torch.mps.synchronize()
        return "torch.mps.synchronize"
    return "the operations themselves, which are done when they return on a CPU"


def peak_bytes():
    cuda = sys.modules["torch"].cuda
    return cuda.max_memory_allocated() if cuda.is_available() and cuda.is_initialized() else None


def begin_steps():
    global compiles_before  # noqa: PLW0603 - a process looks at one program
    torch = sys.modules["torch"]
    compiles_before = _compiles()
    fetches.watch(torch.Tensor, FETCHES)
    loads.watch(torch.utils.data.dataloader._BaseDataLoaderIter, ["__next__"])


def facts(program):
    fetches.stop()
    loads.stop()
    found = counting.gather(program, [_loading])
    compiling = counting.gather(program, [_compiling])
    profiled = counting.gather(program, [_profile])
    if profiled.get("slowest_operations") == []:  # the program imported PyTorch, and computes with something else
        return found
    found.update(compiling)
    found.update(profiled)
    found.update(counting.gather(program, [_build, _models, _optimizers, _subnormals, _watch]))
    return found


def _loading(program):
    torch = sys.modules["torch"]
    iterators = counting.live(torch.utils.data.dataloader._BaseDataLoaderIter)
    found = {"loader_s": loads.seconds / program.looked_steps}
    if iterators:
        newest = iterators[-1]
        batch_size = getattr(newest._index_sampler, "batch_size", None)
        items = batch_size is not None and not hasattr(newest._dataset, "__getitems__")
        found["loader"] = {
            "workers": newest._num_workers, "prefetch": getattr(newest, "_prefetch_factor", 0) or 0,
            "batch_size": batch_size, "kind": "item by item" if items else "whole batches",
        }  # fmt: skip
    return found


def _build(program):
    torch = sys.modules["torch"]
    has_gpu_build = bool(torch.version.cuda or getattr(torch.version, "hip", None))
    devices = [tensor.device for tensor in counting.live(torch.Tensor)]
    gpus = [device for device in devices if device.type in ("cuda", "mps")]
    found = {
        "versions": {"torch": str(torch.__version__)}, "has_gpu_build": has_gpu_build,
        "threads": torch.get_num_threads(), "inter_op_threads": torch.get_num_interop_threads(),
        "is_asynchronous": bool(gpus), "device": "cpu", "fetches_per_step": fetches.count / program.looked_steps,
        "fetches_s": fetches.seconds / program.looked_steps, "switches": {"threads": "OMP_NUM_THREADS"},
    }  # fmt: skip
    if _compiles():
        found["switches"]["compilation"] = "TORCHDYNAMO_DISABLE=1"
    if gpus and gpus[0].type == "cuda":
        found["device"] = torch.cuda.get_device_name(gpus[0])
        precision = torch.get_float32_matmul_precision()
        found["matmul_precision"] = {"high": "tf32", "medium": "bf16"}.get(precision, precision)
    return found


def _counters():
    utils = sys.modules.get("torch._dynamo.utils")  # not loaded: nothing asked for compilation
    return utils.counters if utils else {}


def _compiles():
    return _counters().get("stats", {}).get("unique_graphs", 0)


def _compiling(program):
    torch = sys.modules["torch"]
    counters = _counters()
    graphs = _compiles()
    scripts = counting.live(torch.jit.ScriptModule)
    breaks = dict(counters.get("graph_break", {}))
    breaks = breaks if graphs else breaks or dict(counters.get("unimplemented", {}))
    return {
        "compiled": (["torch.compile (graphs: %d)" % graphs] if graphs else []) + (["torch.jit"] if scripts else []),
        "is_compile_asked": bool(scripts or counters.get("frames", {}).get("total")),
        "compiled_graphs": graphs,
        "compiles_per_step": (graphs - compiles_before) / program.looked_steps,
        "graph_breaks": {str(reason).strip().split("\n")[0][:120]: count for reason, count in breaks.items()},
    }


def _profile(program):
    profile = sys.modules["torch"].profiler.profile()
    program.run(PROFILED_STEPS, profile)
    seconds = {}
    for event in profile.key_averages():
        if event.key.startswith("aten::") or "ompiled" in event.key:
            name = event.key[len("aten::") :] if event.key.startswith("aten::") else COMPILED
            device_us = getattr(event, "self_device_time_total", 0.0)
            seconds[name] = seconds.get(name, 0.0) + (device_us or event.self_cpu_time_total) / 1e6
    kernels_us = [event.self_device_time_total for event in profile.key_averages() if "CUDA" in str(event.device_type)]
    started = [event for event in profile.events() if event.name.startswith("aten::")]
    started = [event for event in started if not (event.cpu_parent and event.cpu_parent.name.startswith("aten::"))]
    cells = counting.tally(event.name[len("aten::") :] for event in started if event.name in CELLS)
    return {
        "slowest_operations": [item for item in counting.slowest(seconds, PROFILED_STEPS) if item[0] != COMPILED],
        "device_s_per_step": sum(kernels_us) / 1e6 / PROFILED_STEPS if kernels_us else None,
        "dispatches_per_step": len(started) / PROFILED_STEPS,
        "python_loops_per_step": {name: count / PROFILED_STEPS for name, count in cells.items()},
    }


def _models(program):
    nn = sys.modules["torch"].nn
    modules = counting.live(nn.Module)
    kinds = (nn.modules.dropout._DropoutNd, nn.modules.batchnorm._BatchNorm)
    switching = [module for module in modules if isinstance(module, kinds)]
    weights = {id(weight): weight.numel() for module in modules for weight in module.parameters(recurse=False)
               if weight.requires_grad}  # fmt: skip
    if not modules:
        return {}
    return {
        "models": sorted({type(model).__name__ for model in _outermost(modules)}),
        "layers": counting.tally(type(module).__name__ for module in modules if not list(module.children())),
        "parameters": sum(weights.values()),
        "training_layers": counting.tally(type(module).__name__ for module in switching),
        "is_training": any(module.training for module in switching or modules),
    }


def _outermost(modules):
    inner = {id(child) for module in modules for child in module.children()}
    return [module for module in modules if id(module) not in inner]


def _batch_first_models():
    nn = sys.modules["torch"].nn
    models = _outermost(counting.live(nn.Module))
    return [model for model in models if all(getattr(module, "batch_first", True) for module in model.modules())]


def _optimizers(program):
    return {
        "optimizers": [
            dict(_settings(optimizer.param_groups[0]), type=type(optimizer).__name__)
            for optimizer in counting.live(sys.modules["torch"].optim.Optimizer)
        ]
    }


def _settings(group):
    kept = {SETTINGS.get(name, name): value for name, value in group.items() if isinstance(value, (int, float))}
    kept.update(zip(("beta_1", "beta_2"), group.get("betas", ())))
    names = ("learning_rate", "epsilon", "weight_decay", "momentum", "nesterov", "rho", "beta_1", "beta_2", "amsgrad")
    return counting.rounded({name: kept[name] for name in names if name in kept})


def _subnormals(program):
    torch = sys.modules["torch"]
    tensors = [parameter for module in counting.live(torch.nn.Module) for parameter in module.parameters(recurse=False)]
    for optimizer in counting.live(torch.optim.Optimizer):
        tensors += [value for state in optimizer.state.values() for value in state.values()
                    if isinstance(value, torch.Tensor)]  # fmt: skip
    tensors = [tensor.detach() for tensor in tensors if tensor.dtype == torch.float32 and tensor.device.type == "cpu"]
    smallest = torch.finfo(torch.float32).tiny
    found = sum(int(((tensor.abs() < smallest) & (tensor != 0)).sum()) for tensor in tensors)
    return {"subnormals": found / max(1, sum(tensor.numel() for tensor in tensors))}


def _watch(program):
    torch = sys.modules["torch"]
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils.flop_counter import FlopCounterMode

    seen = _Seen()

    class Watch(TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):
            result = function(*args, **(kwargs or {}))
            seen.look(function, args, result)
            return result

    hooks = torch.autograd.graph.saved_tensors_hooks(seen.pack, seen.unpack)
    flops = FlopCounterMode(display=False)
    eager = torch.compiler.set_stance("force_eager")  # a compiled function hides its operations
    handles = [model.register_forward_pre_hook(seen.note_batch) for model in _batch_first_models()]
    program.run(1, counting.together([eager, hooks, flops, Watch()]))
    for handle in handles:
        handle.remove()
    whole = sum(seen.elements.values())
    return {
        "dtypes": {name: count / whole for name, count in seen.elements.items()},
        "memory_formats": seen.formats,
        "grouped_convolutions": seen.grouped,
        "uploads_per_step": float(seen.uploads),
        "gradients_recorded": seen.packed > 0 and seen.unpacked == 0,
        "flops_per_step": flops.get_total_flops() if not seen.has_fused and flops.get_total_flops() else None,
        "batch_size": seen.batch_size,
    }


class _Seen:
    def __init__(self):
        self.elements, self.formats, self.grouped = {}, {}, []
        self.uploads = self.packed = self.unpacked = 0
        self.has_fused, self.batch_size = False, None

    def pack(self, tensor):
        self.packed += 1
        return tensor

    def unpack(self, tensor):
        self.unpacked += 1
        return tensor

    def note_batch(self, model, inputs):
        tensors = [value for value in inputs if hasattr(value, "shape") and len(value.shape) > 1]
        if tensors and self.batch_size is None:
            self.batch_size = tensors[0].shape[0]

    def look(self, function, args, result):
        torch = sys.modules["torch"]
        name = function.__name__.split(".")[0]
        results = result if isinstance(result, (list, tuple)) else [result]
        for tensor in results:
            if isinstance(tensor, torch.Tensor) and tensor.is_floating_point():
                dtype = str(tensor.dtype)[len("torch.") :]
                self.elements[dtype] = self.elements.get(dtype, 0) + tensor.numel()
        self.has_fused = self.has_fused or name in FUSED
        if name in ("_to_copy", "copy_") and isinstance(result, torch.Tensor) and result.device.type != "cpu":
            source = args[1] if name == "copy_" else args[0]
            self.uploads += source.device.type == "cpu"
        if name == "convolution":
            self._convolution(args[0], args[1], args[8])

    def _convolution(self, inputs, kernel, groups):
        torch = sys.modules["torch"]
        if inputs.dim() == 4:
            is_last = inputs.is_contiguous(memory_format=torch.channels_last) and not inputs.is_contiguous()
            layout = "channels last" if is_last else "channels first"
            self.formats[layout] = self.formats.get(layout, 0) + 1
        if groups > 1:
            size = "x".join(str(length) for length in kernel.shape[2:])
            self.grouped.append({"groups": groups, "channels": inputs.shape[1], "size": size})


def script(mode, optimizer, source):
    return STEPS.format(optimizer=optimizer, run=RUN[mode]) if mode in RUN else None
