"""TensorFlow: how a model file is run, and how its variables map to the canonical layout."""

import numpy as np
import tensorflow as tf
from tensorflow.keras import layers

from bench.errors import Unsupported

OUT_OF_MEMORY = (tf.errors.ResourceExhaustedError,)

# For each weight of a layer, in Keras' order, the canonical leaves it holds: a GRU's two biases are rows of one weight.
LEAVES = {
    layers.Dense: [["kernel"], ["bias"]],
    layers.Conv2D: [["kernel"], ["bias"]],
    layers.BatchNormalization: [["scale"], ["offset"], ["mean"], ["variance"]],
    layers.Embedding: [["table"]],
    layers.GRU: [["kernel"], ["recurrent_kernel"], ["bias", "recurrent_bias"]],
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


def _layers(owner, path=""):
    """Yield (attribute path, layer) of every layer that LEAVES knows, in the order of assignment."""
    for attribute, value in vars(owner).items():
        if attribute.startswith("_"):
            continue
        many = isinstance(value, list)
        parts = {"%s.%d" % (attribute, i): part for i, part in enumerate(value)} if many else {attribute: value}
        for name, part in parts.items():
            if type(part) in LEAVES:
                yield path + name, part
            elif isinstance(part, layers.Layer):
                yield from _layers(part, path + name + ".")


class Program:
    """One model, its loss and its optimiser, ready to step."""

    def __init__(self, source, task, mode, optimizer):
        self.source = source
        self.model = source.Model()
        self.optimizer = source.OPTIMIZERS[optimizer]() if task == "train" else None
        if mode == "xla" and not all(layer.supports_jit for layer in self.model._flatten_layers()):
            raise Unsupported("On a GPU, Keras' GRU runs in cuDNN, and XLA cannot compile a cuDNN network.")
        self.forward_backward = _compile(self._forward_backward, mode)
        self.step = _compile(self._train if task == "train" else self._infer, mode)
        self.shapes = {}

    def _tensors(self):
        """Yield (canonical names, variable) of every weight."""
        for path, layer in _layers(self.model):
            for leaves, variable in zip(LEAVES[type(layer)], layer.weights):
                yield [path + "." + leaf for leaf in leaves], variable

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
            if isinstance(layer, layers.Dropout):
                layer.rate = 0.0

    def place(self, x, y):
        return tf.constant(x), tf.constant(y)

    def gradients(self, batch):
        outputs, loss, gradients = self.forward_backward(batch)
        found = {}
        names_of = {id(variable): names for names, variable in self._tensors()}
        for variable, gradient in zip(self.model.trainable_variables, gradients):
            # An embedding's gradient comes as the rows that were read: IndexedSlices.
            found.update(self._canonical(names_of[id(variable)], tf.convert_to_tensor(gradient).numpy()))
        return outputs.numpy(), float(loss), found

    def _forward_backward(self, batch):
        x, y = batch
        with tf.GradientTape() as tape:
            outputs = self.model(x, training=True)
            loss = self.source.loss(y, outputs)
        return outputs, loss, tape.gradient(loss, self.model.trainable_variables)

    def _train(self, batch):
        _, loss, gradients = self._forward_backward(batch)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables))
        return loss

    def _infer(self, batch):
        return tf.reduce_sum(self.model(batch[0], training=False))

    def wait(self, handle):
        return float(handle)


def _compile(function, mode):
    if mode == "eager":
        return function
    return tf.function(function, jit_compile=mode == "xla")
