"""Compare one of our networks with the one of Keras Applications; runs inside an environment that has both.

Usage: applications.py ENVIRONMENT WORKLOAD APPLICATION [features]. Prints a line of JSON. With `features`, theirs is
cut after its average pooling.

Both networks get weights that depend on a tensor's role and size alone, so no table of names is needed. Tensors alike
in both may replace each other.
"""

import json
import os
import sys
import zlib

import numpy as np

from bench import registry
from bench.worker import programs

LEAVES = {"gamma": "scale", "beta": "offset", "moving_mean": "mean", "moving_variance": "variance"}


def value(leaf, shape):
    """Return random weights of a role and shape; those of the same role, size and number of outputs are equal.

    A depthwise kernel has as many outputs as channels, wherever its shape names them.
    """
    size, outputs = int(np.prod(shape)), max(shape[-2:]) if 1 in shape[-2:] else shape[-1]
    random = np.random.RandomState(zlib.crc32(repr((leaf, size, outputs)).encode()))
    drawn = random.standard_normal(size).reshape(shape).astype(np.float32)
    if leaf == "kernel":
        return drawn * np.float32(np.sqrt(2 * outputs / size))  # keeps a signal's size through a ReLU
    return np.float32(0.05) * drawn + np.float32(leaf in ("scale", "variance"))


def ours(environment, workload, x, y):
    """Return our network's outputs in inference, through the adapter, and its number of parameters."""
    adapter = registry.adapter(environment)
    adapter.configure("cpu", int(os.environ["OMP_NUM_THREADS"]), "fp32")
    program = programs.program(adapter, environment, workload, "infer", environment.modes[0].name, "none")
    stated = registry.workload(workload).weights(np.random.RandomState(0))
    program.load({name: value(name.rpartition(".")[2], given.shape) for name, given in stated.items()})
    return program.outputs(program.place(x, y)), sum(given.size for given in program.weights().values())


def theirs(application, x, classes, ends_in_features):
    """Return the outputs, before the softmax, and the number of parameters of the network in Keras Applications.

    Where it rescales and normalises its images first, that is undone: ours takes images that are normalised.
    """
    import keras

    build = getattr(keras.applications, application)
    top = {"include_top": False, "pooling": "avg"} if ends_in_features else {"classes": classes}
    model = build(weights=None, input_shape=x.shape[1:], classifier_activation=None, **top)
    layers = [layer for layer in model.layers if not isinstance(layer, keras.layers.Normalization)]
    for layer in layers:
        x = x / layer.scale if isinstance(layer, keras.layers.Rescaling) else x
        for variable in layer.weights:
            variable.assign(value(LEAVES.get(variable.name, variable.name), tuple(variable.shape)))
    return model.predict_on_batch(x), sum(layer.count_params() for layer in layers)


def main(environment, workload, application, end="classes"):
    """Print how far our outputs are from theirs, and those of two images from each other, and both parameter counts."""
    x, y = registry.workload(workload).batch(np.random.RandomState(1), 2)
    x[1] += 0.25  # else two pictures of noise would be one to a network that averages over them
    given, parameters = ours(registry.environment(environment), workload, x, y)
    expected, expected_parameters = theirs(application, x, given.shape[-1], end == "features")
    largest = np.abs(expected).max(-1)  # of each picture
    report = {
        "error": float((np.abs(given - expected).max(-1) / largest).max()),
        "contrast": float(np.abs(expected[0] - expected[1]).max() / largest.max()),
        "parameters": int(parameters),
        "expected_parameters": int(expected_parameters),
    }
    print(json.dumps(report))


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # a framework's own teardown may crash
