"""What JAX can tell about a program of the user's own (bench/versus/inside/facts.py)."""

import glob
import os
import re
import shutil
import sys
import tempfile

from bench.versus.inside import counting

IMPORT = "jax"
SHARES = {"XLA_PYTHON_CLIENT_PREALLOCATE": "false"}  # the default takes three quarters of the GPU's memory
FETCHES = ("_value", "item", "tolist", "__array__", "__float__", "__int__", "__bool__", "__index__")
LIBRARIES = ("jax.", "jaxlib", "flax.", "optax.", "keras.src.backend.jax.core", "keras.src.random")
PROFILED_STEPS = 2
EXECUTE = "ExecuteHelperOnSingleDevice"  # the runtime's event of each program that Python starts
COMPILED = "/jax/core/compile/backend_compile_duration"

STEPS = """
import functools

import jax

model = Model(rngs=nnx.Rngs(0))
model.train()
optimizer = nnx.Optimizer(model, OPTIMIZERS["{optimizer}"](), wrt={trained})
graph, state = nnx.split((model, optimizer))
inputs, labels = jax.device_put((x if isinstance(x, tuple) else (x,), y))


@functools.partial(jax.jit, donate_argnums=0)
def step(state, inputs, labels):
    model, optimizer = nnx.merge(graph, state)
    gradient = nnx.value_and_grad(lambda model: loss(model(*inputs), labels), argnums=nnx.DiffState(0, {trained}))
    value, gradients = gradient(model)
    optimizer.update(model, gradients)
    return nnx.state((model, optimizer)), value


def steps(count):
    global state
    for _ in range(count):
        state, value = step(state, inputs, labels)
    float(value)  # waits
"""

RESULT = re.compile(r"%(\S+) = (f64|f32|bf16|f16)\[([\d,]*)\]")
INSTRUCTION = re.compile(r"%(\S+) = ")
CALLED = re.compile(r"calls=%(\S+?)[,\s]")
OPERATION = re.compile(r'op_name="([^"]*)"')
GROUPED = re.compile(r"window=\{size=(\S+)[^}]*\}.*feature_group_count=(\d+)")
LAYOUT = re.compile(r" convolution\(.*dim_labels=([b01f]+)_")
DTYPES = {"f64": "float64", "f32": "float32", "bf16": "bfloat16", "f16": "float16"}

fetches = counting.Calls(ignored=("jax.", "jaxlib."))
compiles = []


def wait():
    jax = sys.modules["jax"]
    jax.block_until_ready([array for array in jax.live_arrays() if not array.is_deleted()])
    return "jax.block_until_ready on all live arrays"


def peak_bytes():
    gpus = [device for device in sys.modules["jax"].local_devices() if device.platform == "gpu"]
    return gpus[0].memory_stats()["peak_bytes_in_use"] if gpus else None


def before():
    sys.modules["jax"].monitoring.register_event_duration_secs_listener(_note)


def _note(event, seconds, **_):
    if event == COMPILED:
        compiles.append(seconds)


def begin_steps():
    fetches.watch(type(sys.modules["jax"].numpy.zeros(1)), FETCHES)
    del compiles[:]


def facts(program):
    compiled = len(compiles) / program.looked_steps
    fetches.stop()
    profile = _Profile(program)
    if not profile.dispatches:  # the program imported JAX, and computes with something else
        return {}
    found = counting.gather(profile, [_build, _compiled, _operations, _programs, _flops, _flax])
    found.update(
        fetches_per_step=fetches.count / program.looked_steps, fetches_s=fetches.seconds / program.looked_steps,
        compiles_per_step=compiled, dispatches_per_step=profile.dispatches / PROFILED_STEPS,
    )  # fmt: skip
    return found


class _Profile:
    """The seconds and numbers of operations of some steps, as XLA's profiler saw them, and the programs run."""

    def __init__(self, program):
        jax = sys.modules["jax"]
        folder = tempfile.mkdtemp()
        options = jax.profiler.ProfileOptions()
        options.python_tracer_level = 0
        program.run(PROFILED_STEPS, jax.profiler.trace(folder, profiler_options=options))
        path = glob.glob(os.path.join(folder, "**", "*.xplane.pb"), recursive=True)[0]
        planes = jax.profiler.ProfileData.from_file(path).planes
        shutil.rmtree(folder)
        self.dispatches, self.seconds, self.counts = 0, {}, {}
        for event in (event for plane in planes for line in plane.lines for event in line.events):
            self.dispatches += event.name.endswith(EXECUTE)
            stats = dict(event.stats)
            if "hlo_module" in stats and "hlo_op" in stats:
                key = (stats["hlo_module"], stats["hlo_op"])
                self.seconds[key] = self.seconds.get(key, 0.0) + event.duration_ns / 1e9
                self.counts[key] = self.counts.get(key, 0) + 1
        executables = jax.devices()[0].client.live_executables()
        names = {name for name, _ in self.seconds}
        self.programs = [(executable, module) for executable in executables for module in executable.hlo_modules()
                         if module.name in names]  # fmt: skip
        self.text = "\n".join(module.to_string() for _, module in self.programs)


def _build(profile):
    jax = sys.modules["jax"]
    device = jax.devices()[0]
    is_cpu = device.platform == "cpu"
    precision = jax.config.jax_default_matmul_precision
    return {
        "versions": {name: getattr(sys.modules[name], "__version__", "unknown")
                     for name in ("jax", "jaxlib", "flax", "optax") if name in sys.modules},
        "device": "cpu" if is_cpu else device.device_kind,
        "has_gpu_build": not is_cpu or any(name.startswith("jax_cuda") for name in sys.modules),
        "threads": _threads() if is_cpu else None,
        "is_asynchronous": True,
        "compiler": "jax.jit",
        "switches": {"float64": "JAX_ENABLE_X64=0"} if "JAX_ENABLE_X64" in os.environ else {},
        "matmul_precision": None if is_cpu else str(precision or "tf32"),
    }  # fmt: skip


def _threads():
    if "xla_cpu_multi_thread_eigen=false" in os.environ.get("XLA_FLAGS", ""):
        return 1
    return int(os.environ.get("NPROC") or 0) or len(os.sched_getaffinity(0))


def _compiled(profile):
    kind = type(sys.modules["jax"].jit(lambda: 0))
    names = []
    for function in counting.live(kind):
        inner = getattr(function, "__wrapped__", None)
        inner = getattr(inner, "f", inner)  # what flax.nnx.jit wraps
        module = getattr(inner, "__module__", None) or ""
        if function._cache_size() and not module.startswith(LIBRARIES):
            names.append(getattr(inner, "__name__", "a function"))
    return {"compiled": sorted(names), "is_compile_asked": bool(names)}


def _operations(profile):
    """Name an operation as the program did; XLA's own names say little."""
    grouped = {}
    computation = ""
    names = {}
    for line in profile.text.split("\n"):
        if line.startswith(("%", "ENTRY")):
            computation = line.split(" ")[0].lstrip("%")
        instruction = INSTRUCTION.search(line)
        if not instruction:
            continue
        if " convolution(" in line and GROUPED.search(line):
            grouped[computation] = grouped[instruction.group(1)] = GROUPED.search(line).group(2)
        called, operation = CALLED.search(line), OPERATION.search(line)
        groups = grouped.get(instruction.group(1)) or grouped.get(called.group(1) if called else "")
        name = operation.group(1).split("/")[-1] if operation else instruction.group(1)
        names[instruction.group(1)] = "%s (groups: %s)" % (name, groups) if groups else name
    seconds = {}
    for (_, operation), spent in profile.seconds.items():
        name = names.get(operation, operation)
        seconds[name] = seconds.get(name, 0.0) + spent
    return {"slowest_operations": counting.slowest(seconds, PROFILED_STEPS)}


def _programs(profile):
    elements = {}
    for _, dtype, shape in RESULT.findall(profile.text):
        count = 1
        for length in filter(None, shape.split(",")):
            count *= int(length)
        elements[DTYPES[dtype]] = elements.get(DTYPES[dtype], 0) + count
    whole = sum(elements.values())
    layouts = counting.tally(
        "channels last" if layout.endswith("f") else "channels first" for layout in LAYOUT.findall(profile.text)
    )
    convolutions = [line for line in profile.text.split("\n") if " convolution(" in line]
    grouped = [match.groups() for match in map(GROUPED.search, convolutions) if match]
    return {
        "dtypes": {name: count / whole for name, count in elements.items()},
        "memory_formats": layouts,
        "grouped_convolutions": [{"groups": int(groups), "size": size} for size, groups in grouped],
        "compiled_graphs": len(profile.programs),
    }


def _flops(profile):
    """Count only where each program's name is unique, and no loop hides how often its body runs."""
    names = [module.name for _, module in profile.programs]
    if len(set(names)) < len(names) or " while(" in profile.text:
        return {}
    whole = 0.0
    for executable, module in profile.programs:
        runs = min(count for (name, _), count in profile.counts.items() if name == module.name)
        costs = executable.cost_analysis()
        costs = costs[0] if isinstance(costs, list) else costs
        whole += costs.get("flops", 0.0) * runs / PROFILED_STEPS
    return {"flops_per_step": whole or None}


def _flax(profile):
    nnx = sys.modules.get("flax.nnx")
    modules = counting.live(nnx.Module) if nnx else []
    if not modules:
        return {}
    inner = {id(child) for module in modules for child in vars(module).values() if isinstance(child, nnx.Module)}
    switching = [module for module in modules if isinstance(module, (nnx.Dropout, nnx.BatchNorm))]
    weights = {id(weight): weight.size for module in modules for weight in vars(module).values()
               if isinstance(weight, nnx.Param)}  # fmt: skip
    found = {
        "models": sorted({type(module).__name__ for module in modules if id(module) not in inner}),
        "parameters": sum(weights.values()) or None,
        "training_layers": counting.tally(type(module).__name__ for module in switching),
    }
    if switching:
        flags = [getattr(module, "deterministic", getattr(module, "use_running_average", None)) for module in switching]
        found["is_training"] = not all(flags)
    return found


def script(mode, optimizer, source):
    trained = "TRAINED" if "TRAINED = " in source else "nnx.Param"
    return STEPS.format(optimizer=optimizer, trained=trained) if mode == "jit" else None
