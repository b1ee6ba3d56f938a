"""Keras 3 on TensorFlow: devices, precision, memory, gradients, and the training loop of its guide."""

import numpy as np
import tensorflow as tf

from bench import compiling
from bench.errors import Unsupported

OUT_OF_MEMORY = (tf.errors.ResourceExhaustedError,)


def devices():
    return (["gpu"] if tf.config.list_physical_devices("GPU") else []) + ["cpu"]


def configure(device, threads, precision):
    # One op at a time, with all threads inside it: two pools of `threads` would compete for the same cores.
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    # TensorFlow's default is TF32 wherever the device has it: it is written out.
    tf.config.experimental.enable_tensor_float_32_execution(precision == "tf32")
    if device == "cpu":
        tf.config.set_visible_devices([], "GPU")
    for gpu in tf.config.get_visible_devices("GPU"):
        tf.config.experimental.set_memory_growth(gpu, True)  # the default takes the whole card before the first step


def loaded():
    build = tf.sysconfig.get_build_info()
    gpus = tf.config.list_physical_devices("GPU")
    return {
        "tensorflow": tf.__version__,
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


def what_compiled(step, is_by_xla):
    found = [each for each in compiling.reachable(step) if hasattr(each, "experimental_get_tracing_count")]
    traces = max([each.experimental_get_tracing_count() for each in found] or [0])  # one calls the other
    return compiling.in_words("the whole step, " + ("by XLA" if is_by_xla else "as a graph"), traces)


def forward_backward(model, loss):
    """Return a function of (x, y) that gives outputs, loss and the gradients of the trainable variables."""

    def run(x, y):
        with tf.GradientTape() as tape:
            outputs = model(x, training=True)
            value = loss(y, outputs)
        return outputs, value, _summed(tape.gradient(value, model.trainable_variables))

    return run if model.run_eagerly else tf.function(run, jit_compile=model.jit_compile)


def _summed(gradients):
    """Return gradients with one row for each word.

    An embedding's gradient has a row for each word read (IndexedSlices). If a word is read twice, Keras' Adam would
    square its rows one by one, instead of their sum (docs/parity.md).
    """
    return [tf.convert_to_tensor(gradient) for gradient in gradients]


def prepared(optimizer):
    """Return an optimiser that sums what it is given first."""
    apply = optimizer.apply
    optimizer.apply = lambda gradients, *rest: apply(_summed(gradients), *rest)
    return optimizer


def jit_compile(model, is_asked):
    """Say whether XLA compiles the step: where it is asked to, or "auto" would: on a GPU, if no layer runs in cuDNN.

    "auto" itself asks which GPUs there are, and not which device is used.
    """
    can = all(layer.supports_jit for layer in model._flatten_layers())
    if is_asked and not can:
        raise Unsupported("On a GPU, Keras' GRU and LSTM run in cuDNN, and XLA cannot compile a cuDNN network.")
    return can and (is_asked or bool(tf.config.get_visible_devices("GPU")))


def tensor(value):
    # TensorFlow keeps int32 on the host, and would copy words and labels to a GPU at every step.
    return tf.constant(value, tf.int64 if value.dtype == np.int32 else None)


def endless(batch):
    """Return what fit takes: a data set of one batch, again and again."""
    return tf.data.Dataset.from_tensors(batch).repeat()


class Loop:
    """The loop of "Writing a training loop from scratch in TensorFlow": a tf.function of one batch."""

    def __init__(self, model, loss_fn):
        self.model = model
        self.loss_fn = loss_fn
        self.step = tf.function(self._step)
        self.forward = tf.function(lambda batch: tf.reduce_sum(model(batch[0], training=False)))

    def _step(self, batch):
        x, y = batch
        with tf.GradientTape() as tape:
            loss = self.loss_fn(y, self.model(x, training=True))
        gradients = tape.gradient(loss, self.model.trainable_weights)
        self.model.optimizer.apply(gradients, self.model.trainable_weights)
        return loss

    def sync(self):
        """Do nothing: a step works on the model's own variables."""
