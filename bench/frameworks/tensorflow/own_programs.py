"""What TensorFlow can tell about a program of the user's own (bench/versus/inside/facts.py)."""

import glob
import os
import shutil
import sys
import tempfile

from bench.versus.inside import counting

IMPORT = "tensorflow"
SHARES = {"TF_FORCE_GPU_ALLOW_GROWTH": "true"}  # the default takes all memory of the GPU
FETCHES = ("numpy", "_numpy", "__array__", "__float__", "__int__", "__bool__", "__index__")
CONVOLUTIONS = ("Conv2D", "DepthwiseConv2dNative", "_FusedConv2D")
FLOATS = ("float64", "float32", "float16", "bfloat16")
PROFILED_STEPS = 2
EAGER = "EagerLocalExecute: "  # begins the profiler's name of an operation that Python starts
NO_WORK = ("ReadVariableOp", "Shape", "Const", "StridedSlice", "NoOp", "Identity", "Reshape", "Pack")

STEPS = """
import tensorflow as tf


def constant(value):
    return tf.constant(value, tf.int64 if value.dtype == "int32" else None)  # int32 stays on the host


model = Model()
inputs, labels = tf.nest.map_structure(constant, (x, y))
model(inputs)  # makes the weights
optimizer = OPTIMIZERS["{optimizer}"]()


{decorator}
def step(inputs, labels):
    with tf.GradientTape() as tape:
        value = loss(labels, model(inputs, training=True))
    gradients = tape.gradient(value, model.trainable_variables)
    gradients = [tf.convert_to_tensor(gradient) for gradient in gradients]
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return value


def steps(count):
    for _ in range(count):
        value = step(inputs, labels)
    float(value)  # waits
"""
DECORATORS = {"graph": "@tf.function", "xla": "@tf.function(jit_compile=True)"}  # of the modes that `script` knows

fetches = counting.Calls(ignored=("tensorflow.",))
loads = counting.Calls()
tapes, gradients = counting.Calls(), counting.Calls()
traces_before = 0


def wait():
    tf = sys.modules["tensorflow"]
    try:
        tf.test.experimental.sync_devices()
    except AttributeError:
        return "the operations themselves: this TensorFlow has no tf.test.experimental.sync_devices"
    return "tf.test.experimental.sync_devices"


def peak_bytes():
    config = sys.modules["tensorflow"].config
    return config.experimental.get_memory_info("GPU:0")["peak"] if config.get_visible_devices("GPU") else None


def begin_steps():
    global traces_before  # noqa: PLW0603 - a process looks at one program
    tf = sys.modules["tensorflow"]
    traces_before = sum(_traces().values())
    fetches.watch(type(tf.constant(0.0)).__mro__[1], FETCHES)
    loads.watch(type(iter(tf.data.Dataset.range(1))), ["__next__"])
    tapes.watch(tf.GradientTape, ["__enter__"])
    gradients.watch(tf.GradientTape, ["gradient", "jacobian"])


def facts(program):
    for calls in (fetches, loads, tapes, gradients):
        calls.stop()
    traced = sum(_traces().values()) - traces_before
    operations = _Operations()
    program.run(1, operations)
    if not operations.started:  # the program imported TensorFlow, and computes with something else
        return {}
    readers = [_build, lambda _: _seen(operations), lambda _: _compiled(), _profile, _loading, _gradients]
    return dict(counting.gather(program, readers), compiles_per_step=traced / program.looked_steps)


def _functions():
    from tensorflow.python.eager.polymorphic_function import polymorphic_function

    return counting.live(polymorphic_function.Function)


def _is_own(function):
    module = getattr(function.python_function, "__module__", None) or ""
    return not module.startswith("tensorflow.")


def _traces():
    """Count traces of each function that the program or its trainer made, not of TensorFlow's own."""
    return {function._name: function.experimental_get_tracing_count() for function in _functions() if _is_own(function)}


def _compiled():
    names = sorted(name for name, traces in _traces().items() if traces)
    return {"compiled": names, "is_compile_asked": bool(names), "compiled_graphs": sum(_traces().values())}


class _Operations:
    """Notes each operation that Python starts while it is entered as a context."""

    def __init__(self):
        self.started, self.elements, self.layouts, self.grouped = [], {}, [], []

    def __enter__(self):
        from tensorflow.python.framework import op_callbacks

        op_callbacks.add_op_callback(self.note)

    def __exit__(self, *_):
        from tensorflow.python.framework import op_callbacks

        op_callbacks.remove_op_callback(self.note)

    def note(self, kind, inputs, attributes, outputs, op_name=None, graph=None):
        if graph is None:
            self.started.append(kind)
        names = dict(zip(attributes[::2], attributes[1::2])) if attributes else {}
        layout = names.get("data_format", b"NHWC")
        self.look(kind, layout if isinstance(layout, str) else layout.decode(), inputs, outputs)

    def look(self, kind, layout, inputs, outputs):
        for tensor in outputs:
            dtype = getattr(getattr(tensor, "dtype", None), "name", "")
            if dtype in FLOATS:
                self.elements[dtype] = self.elements.get(dtype, 0) + (tensor.shape.num_elements() or 1)
        if kind in CONVOLUTIONS:
            self.layouts.append("channels last" if layout == "NHWC" else "channels first")
        if kind == "DepthwiseConv2dNative":
            height, width, channels = inputs[1].shape[:3]
            self.grouped.append({"groups": channels, "channels": channels, "size": "%dx%d" % (height, width)})


def _seen(operations):
    for function in _functions():
        for graph in _graphs(function) if _is_own(function) else []:
            for node in graph.get_operations():
                has_layout = "data_format" in node.node_def.attr
                layout = node.get_attr("data_format").decode() if has_layout else "NHWC"
                operations.look(node.type, layout, node.inputs, node.outputs)
    whole = sum(operations.elements.values())
    return {
        "dispatches_per_step": float(len([kind for kind in operations.started if kind not in NO_WORK])),
        "dtypes": {name: count / whole for name, count in operations.elements.items()},
        "memory_formats": counting.tally(operations.layouts),
        "grouped_convolutions": operations.grouped,
    }


def _graphs(function):
    concrete = function._list_all_concrete_functions()
    return [made.graph for made in concrete]


def _build(program):
    tf = sys.modules["tensorflow"]
    gpus = tf.config.list_logical_devices("GPU")
    threads = tf.config.threading
    is_tf32 = tf.config.experimental.tensor_float_32_execution_enabled()
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return {
        "versions": {"tensorflow": tf.__version__},
        "device": "cpu" if not gpus else gpus[0].name,
        "has_gpu_build": tf.test.is_built_with_cuda(),
        "is_asynchronous": bool(gpus),
        "threads": threads.get_intra_op_parallelism_threads() or cores,
        "inter_op_threads": threads.get_inter_op_parallelism_threads() or cores,
        "matmul_precision": ("tf32" if is_tf32 else "highest") if gpus else None,
        "compiler": "tf.function",
        "switches": {},
        "fetches_per_step": fetches.count / program.looked_steps,
        "fetches_s": fetches.seconds / program.looked_steps,
    }


def _loading(program):
    return {"loader_s": loads.seconds / program.looked_steps} if loads.count else {}


def _gradients(program):
    return {"gradients_recorded": tapes.count > 0 and gradients.count == 0}


def _profile(program):
    tf = sys.modules["tensorflow"]
    folder = tempfile.mkdtemp()
    options = tf.profiler.experimental.ProfilerOptions(host_tracer_level=2, python_tracer_level=0)
    with tf.profiler.experimental.Profile(folder, options=options):
        program.run(PROFILED_STEPS)
    path = glob.glob(os.path.join(folder, "**", "*.xplane.pb"), recursive=True)[0]
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    with open(path, "rb") as file:
        space = xplane_pb2.XSpace.FromString(file.read())
    shutil.rmtree(folder)
    seconds = {}
    for plane in space.planes:
        for event in (event for line in plane.lines for event in line.events):
            name = _kind(plane.event_metadata[event.metadata_id].name)
            if name:
                seconds[name] = seconds.get(name, 0.0) + event.duration_ps / 1e12
    return {"slowest_operations": counting.slowest(seconds, PROFILED_STEPS)}


def _kind(name):
    """Return the kind of operation that a profiler's event is about, or nothing: a function contains operations."""
    if name.startswith(EAGER):
        kind = name[len(EAGER) :]
        return "" if kind.startswith("__") else kind
    path, _, kind = name.partition(":")
    return kind if kind.isidentifier() and "/" in path and "Iterator" not in kind else ""  # an iterator waits


def script(mode, optimizer, source):
    return STEPS.format(optimizer=optimizer, decorator=DECORATORS[mode]) if mode in DECORATORS else None
