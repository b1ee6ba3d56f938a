"""Keras 3 on TensorFlow: devices, precision, memory and gradients."""

import tensorflow as tf

OUT_OF_MEMORY = (tf.errors.ResourceExhaustedError,)
JIT_COMPILE = "auto"  # the default: a graph; XLA too where there is a GPU and no layer runs in cuDNN


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


def forward_backward(model, loss):
    """Return a function of (x, y) that gives outputs, loss and the gradients of the trainable variables."""

    def run(x, y):
        with tf.GradientTape() as tape:
            outputs = model(x, training=True)
            value = loss(y, outputs)
        gradients = tape.gradient(value, model.trainable_variables)
        # An embedding's gradient comes as the rows that were read: IndexedSlices.
        return outputs, value, [tf.convert_to_tensor(gradient) for gradient in gradients]

    return run if model.run_eagerly else tf.function(run, jit_compile=model.jit_compile)
