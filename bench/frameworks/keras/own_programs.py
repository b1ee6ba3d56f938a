"""What Keras can tell about a program of the user's own; its backend tells more (bench/versus/inside/facts.py)."""

import functools
import sys

from bench.versus.inside import counting

IMPORT = "keras"
SWITCHING = ("Dropout", "SpatialDropout1D", "SpatialDropout2D", "AlphaDropout", "GaussianDropout", "GaussianNoise",
             "BatchNormalization")  # fmt: skip
CELLS = ("LSTMCell", "GRUCell", "SimpleRNNCell")
RECURRENT = ("LSTM", "GRU", "SimpleRNN", "ConvLSTM2D", "RNN")

JIT_COMPILE = {"fit": '"auto"', "fit_xla": "True", "fit_eager": "False"}  # of the modes that `script` knows
STEPS = """
model = Model()
model.compile(
    optimizer=OPTIMIZERS["{optimizer}"](), loss=loss, run_eagerly={is_eager}, jit_compile={jit_compile}
)


def batches():
    while True:
        yield data


if keras.backend.backend() == "tensorflow":
    import tensorflow as tf

    batches = tf.data.Dataset.from_tensors((x, y)).repeat
else:
    data = keras.tree.map_structure(keras.ops.convert_to_tensor, (x, y))


def steps(count):
    model.fit(batches(), steps_per_epoch=count, epochs=1, shuffle=False, verbose=0)
"""

flags = set()  # of training layers, as their calls got them
batch_sizes = []
loops = {}  # {layer: rounds of its loop that Python made}
now = {"looks": False, "is_in_layer": False}


def wait():
    return "the backend of Keras"


def before():
    keras = sys.modules["keras"]
    for name in SWITCHING:
        _watch(getattr(keras.layers, name, None), "call", _note_flag)
    for name in CELLS:
        _watch(getattr(keras.layers, name, None), "call", functools.partial(_note_cell, name))
    for name in RECURRENT:
        _watch_recurrent(getattr(keras.layers, name, None))
    for name in ("train_on_batch", "test_on_batch", "predict_on_batch", "__call__"):
        _watch(keras.Model, name, _note_batch)


def _watch(kind, name, note):
    if kind is None:
        return
    usual, is_compiling = getattr(kind, name), _compiling_check()

    @functools.wraps(usual)  # Keras reads a layer's arguments from the signature of its call
    def watched(self, *arguments, **keywords):
        if not is_compiling():
            note(arguments, keywords)
        return usual(self, *arguments, **keywords)

    setattr(kind, name, watched)


def _compiling_check():
    """Return a function that says whether a compiler reads the code: a counter would break its graph."""
    torch = sys.modules.get("torch")
    return torch.compiler.is_compiling if torch else lambda: False


def _note_flag(arguments, keywords):
    flags.add(bool(keywords.get("training", arguments[1] if len(arguments) > 1 else False)))


def _note_cell(name, arguments, keywords):
    if now["looks"] and not now["is_in_layer"]:
        loops[name] = loops.get(name, 0) + 1


def _watch_recurrent(kind):
    """Count time steps if Python ran a line of Keras' recurrent code for each of them in a layer's call.

    A compiled step does not call the layer, and a compiled loop is one call.
    """
    if kind is None:
        return
    usual, is_compiling = kind.call, _compiling_check()

    @functools.wraps(usual)
    def watched(self, sequences, *arguments, **keywords):
        if is_compiling() or not now["looks"] or now["is_in_layer"]:
            return usual(self, sequences, *arguments, **keywords)
        lines = {}

        def note(frame, event, _):
            caller = frame if event == "c_call" else frame.f_back if event == "call" else None
            if caller is not None and caller.f_code.co_filename.endswith("rnn.py"):
                line = (caller.f_code, caller.f_lineno)
                lines[line] = lines.get(line, 0) + 1

        now["is_in_layer"] = True
        sys.setprofile(note)
        try:
            return usual(self, sequences, *arguments, **keywords)
        finally:
            sys.setprofile(None)
            now["is_in_layer"] = False
            length = sequences.shape[1] or 0  # time steps
            if length > 1 and max(lines.values(), default=0) >= length - 1:
                loops[type(self).__name__] = loops.get(type(self).__name__, 0) + length

    kind.call = watched


def _note_batch(arguments, keywords):
    first = arguments[0] if arguments else keywords.get("x")
    size = (getattr(first, "shape", None) or [None])[0]
    if isinstance(size, int):
        batch_sizes.append(size)


def begin_steps():
    now["looks"] = True


def facts(program):
    now["looks"] = False
    rounds = {name: count / program.looked_steps for name, count in loops.items()}
    return counting.gather(program, [_versions, _models, _optimizers, lambda _: {"python_loops_per_step": rounds}])


def _versions(program):
    keras = sys.modules["keras"]
    backend = keras.backend.backend()
    policy = keras.config.dtype_policy().name if hasattr(keras, "config") else keras.backend.floatx()
    return {"versions": {"keras": "%s on %s" % (keras.__version__, backend)},
            "mixed_precision": policy if policy.startswith("mixed") else ""}  # fmt: skip


def _models(program):
    keras = sys.modules["keras"]
    models = counting.live(keras.Model)
    layers = {id(layer): layer for model in models for layer in model.layers if not isinstance(layer, keras.Model)}
    weights = {id(weight): weight for model in models for weight in model.trainable_variables}
    sizes = [functools.reduce(lambda a, b: a * b, weight.shape, 1) for weight in weights.values()]
    switching = [layer for layer in layers.values() if type(layer).__name__ in SWITCHING]
    compiled = [model for model in models if getattr(model, "compiled", False)]
    if not models:
        return {}
    return {
        "models": sorted({type(model).__name__ for model in models}),
        "layers": counting.tally(type(layer).__name__ for layer in layers.values()),
        "parameters": int(sum(sizes)),
        "training_layers": counting.tally(type(layer).__name__ for layer in switching),
        "is_training": any(flags) if flags else None,
        "batch_size": max(batch_sizes) if batch_sizes else None,
        "is_eager_asked": any(model.run_eagerly for model in compiled),
    }


def _optimizers(program):
    keras = sys.modules["keras"]
    names = ("learning_rate", "epsilon", "weight_decay", "momentum", "nesterov", "rho", "beta_1", "beta_2", "amsgrad")
    found = []
    for optimizer in counting.live(keras.optimizers.Optimizer):
        settings = dict(optimizer.get_config())
        settings["weight_decay"] = settings.get("weight_decay") or 0.0
        kept = {name: settings[name] for name in names if isinstance(settings.get(name), (int, float))}
        if getattr(optimizer, "built", True):
            found.append(dict(counting.rounded(kept), type=settings["name"]))
    return {"optimizers": found}


def fit(keywords, begin, end, pause, resume):
    keras = sys.modules["keras"]

    class Epochs(keras.callbacks.Callback):
        def on_epoch_begin(self, epoch, logs=None):
            begin()

        def on_epoch_end(self, epoch, logs=None):
            end()

        def on_test_begin(self, logs=None):
            pause()

        def on_test_end(self, logs=None):
            resume()

    return dict(keywords, epochs=2**31, callbacks=list(keywords.get("callbacks") or []) + [Epochs()])


def script(mode, optimizer, source):
    if mode not in JIT_COMPILE:
        return None
    return STEPS.format(optimizer=optimizer, is_eager=mode == "fit_eager", jit_compile=JIT_COMPILE[mode])
