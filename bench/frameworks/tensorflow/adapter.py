"""TensorFlow: how a model file is run, and how its variables map to the canonical layout."""

import functools
from types import SimpleNamespace

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

from bench import compiling
from bench.errors import Unsupported

OUT_OF_MEMORY = (tf.errors.ResourceExhaustedError,)

LEAVES = {
    "embeddings": "table",
    "gamma": "scale",
    "beta": "offset",
    "moving_mean": "mean",
    "moving_variance": "variance",
}


def devices():
    return (["gpu"] if tf.config.list_physical_devices("GPU") else []) + ["cpu"]


def configure(device, threads, precision):
    # One op at a time, with all threads inside it: two pools of `threads` would compete for the same cores.
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    # TensorFlow's default is TF32 wherever the device has it: it is written out.
    tf.config.experimental.enable_tensor_float_32_execution(precision == "tf32")
    gpus = tf.config.list_physical_devices("GPU")
    if device == "cpu":
        tf.config.set_visible_devices([], "GPU")
    for gpu in gpus:
        tf.config.experimental.set_memory_growth(gpu, True)  # the default takes the whole card before the first step


def loaded():
    build = tf.sysconfig.get_build_info()
    gpus = tf.config.list_physical_devices("GPU")
    return {
        "tensorflow": tf.__version__,
        "keras": tf.keras.__version__,
        "cuda": build.get("cuda_version"),
        "cudnn": build.get("cudnn_version"),
        "device_name": tf.config.experimental.get_device_details(gpus[0])["device_name"] if gpus else None,
    }


def peak_memory_bytes():
    gpus = tf.config.get_visible_devices("GPU")
    return tf.config.experimental.get_memory_info("GPU:0")["peak"] if gpus else None


def forget_peak():
    if tf.config.get_visible_devices("GPU"):
        tf.config.experimental.reset_memory_stats("GPU:0")


def what_compiled(program):
    if program.mode == "eager":
        return None
    of_parity = (program.forward_backward, program.forward)
    functions = [each for each in vars(program).values() if hasattr(each, "experimental_get_tracing_count")]
    traces = sum(each.experimental_get_tracing_count() for each in functions if each not in of_parity)
    return compiling.in_words("the whole step, " + ("by XLA" if program.mode == "xla" else "as a graph"), traces)


def mixed(source):
    """Return a model file under the policy of the guide to mixed precision; what it returns is in float32."""

    class Model(source.Model):
        def __init__(self):
            tf.keras.mixed_precision.set_global_policy("mixed_bfloat16")
            try:
                super().__init__()
            finally:
                tf.keras.mixed_precision.set_global_policy("float32")

        @functools.wraps(source.Model.call)
        def call(self, *inputs, **flags):
            return tf.cast(super().call(*inputs, **flags), tf.float32)

    return SimpleNamespace(**dict(vars(source), Model=Model))


def _own_name(layer, variable):
    """Return a variable's name below its layer, `kernel`, or `query.kernel` in a layer that is made of layers."""
    parts = variable.path.split("/")
    is_plain = isinstance(layer, layers.RNN) or parts[-2] == layer.name
    return ".".join(parts[-1:] if is_plain else parts[-2:])


def _layers(owner, path=""):
    """Yield (attribute path, layer) of every layer of Keras itself, in the order of assignment."""
    for attribute, value in vars(owner).items():
        if attribute.startswith("_"):
            continue
        many = isinstance(value, list)
        parts = {"%s.%d" % (attribute, i): part for i, part in enumerate(value)} if many else {attribute: value}
        for name, part in parts.items():
            if isinstance(part, layers.Layer) and type(part).__module__.startswith("keras."):
                yield path + name, part
            elif isinstance(part, layers.Layer):
                yield from _layers(part, path + name + ".")


def _constant(value):
    # TensorFlow keeps int32 on the host, and would copy words and labels to a GPU at every step.
    return tf.constant(value, tf.int64 if value.dtype == np.int32 else None)


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer, x):
        self.source = source
        self.mode = mode
        self.model = source.Model()
        self.model(tf.nest.map_structure(lambda each: tf.keras.Input(each.shape[1:], dtype=each.dtype), x))  # builds it
        self.optimizer = source.OPTIMIZERS[optimizer]() if task == "train" else None
        if mode == "xla" and not all(layer.supports_jit for layer in self.model._flatten_layers()):
            raise Unsupported("On a GPU, Keras' GRU and LSTM run in cuDNN, and XLA cannot compile a cuDNN network.")
        self.forward_backward = _compile(self._forward_backward, mode)
        self.forward = _compile(self._forward, mode)
        self.step = _compile(self._train if task == "train" else self._infer, mode)
        self.shapes = {}

    def _names(self, path, layer, variable):
        """Return the canonical names of what a variable holds: one, but for what is packed."""
        own = "%s.%s" % (path, _own_name(layer, variable))
        for suffix, parts in getattr(self.source, "LEAVES", {}).items():
            if ("." + own).endswith("." + suffix):
                return [own[: -len(suffix)] + part for part in parts]
        if variable.name == "bias" and len(variable.shape) == 2 and isinstance(layer, layers.RNN):
            return [path + ".bias", path + ".recurrent_bias"]  # a GRU's two biases are the rows of one
        stem, _, leaf = own.rpartition(".")
        return ["%s.%s" % (stem, LEAVES.get(leaf, leaf))]

    def _tensors(self):
        """Yield (canonical names, variable) of every weight."""
        for path, layer in _layers(self.model):
            for variable in layer.weights:
                yield self._names(path, layer, variable), variable

    def _canonical(self, names, value):
        rows = np.array(value).reshape(len(names), -1)  # a copy: on the CPU the value shares the variable's memory
        return {name: row.reshape(self.shapes[name]) for name, row in zip(names, rows)}

    def load(self, weights):
        self.shapes = {name: value.shape for name, value in weights.items()}
        for names, variable in self._tensors():
            variable.assign(np.stack([weights[name] for name in names]).reshape(variable.shape))

    def weights(self):
        found = {}
        for names, variable in self._tensors():
            found.update(self._canonical(names, variable.numpy()))
        return found

    def without_dropout(self):
        for layer in self.model._flatten_layers():
            if isinstance(layer, layers.Dropout):  # attention's, too
                layer.rate = 0.0

    def scale_learning_rate(self, factor):
        self.optimizer.learning_rate = float(self.optimizer.learning_rate) * factor

    def place(self, x, y):
        return tf.nest.map_structure(_constant, x), _constant(y)

    def gradients(self, batch):
        outputs, loss, gradients = self.forward_backward(batch)
        found = {}
        names_of = {id(variable): names for names, variable in self._tensors()}
        for variable, gradient in zip(self.model.trainable_variables, gradients):
            found.update(self._canonical(names_of[id(variable)], gradient.numpy()))
        return outputs.numpy(), float(loss), found

    def outputs(self, batch):
        return self.forward(batch).numpy()

    def _forward_backward(self, batch):
        x, y = batch
        with tf.GradientTape() as tape:
            outputs = self.model(x, training=True)
            loss = self.source.loss(y, outputs)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        # An embedding's gradient comes as a row for each word read, IndexedSlices, and Keras' Adam would square the
        # rows of a word that is read twice one by one, instead of their sum (docs/parity.md).
        return outputs, loss, [tf.convert_to_tensor(gradient) for gradient in gradients]

    def _train(self, batch):
        _, loss, gradients = self._forward_backward(batch)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        return loss

    def _forward(self, batch):
        return self.model(batch[0], training=False)

    def _infer(self, batch):
        return tf.reduce_sum(self._forward(batch))

    def wait(self, handle):
        return float(handle)


def _compile(function, mode):
    if mode == "eager":
        return function
    return tf.function(function, jit_compile=mode == "xla")
