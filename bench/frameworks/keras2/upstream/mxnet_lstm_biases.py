"""An LSTM's loop in Keras for MXNet adds the input gate's bias to all four gates, unless it makes one product of them.

Seen in: keras-2.2-mxnet.
"""

import numpy as np
from keras.layers import LSTM
from keras.models import Sequential
from mxnet import nd


def output(implementation):
    model = Sequential([LSTM(2, implementation=implementation, input_shape=(1, 1))])
    model.compile("sgd", "mse")
    x = np.zeros((1, 1, 1), np.float32)
    model.predict(x)
    # All else is 0. Set in MXNet itself, since Keras finds no weights of a loop (mxnet_loop_weights.py).
    biases = {weight.name: nd.array([0, 0, 0, 0, 1, 1, 0, 0]) for weight in model.weights if "bias" in weight.name}
    model._module.set_params(biases, {}, allow_missing=True)
    return model.predict(x)[0, 0]


given, expected = output(implementation=1), output(implementation=2)
print("h = o * tanh(i * tanh(1)) = 0.5 * tanh(0.5 * tanh(1)): %.3f expected, %.3f given" % (expected, given))
if given == expected:
    raise SystemExit("They are alike: the defect is gone.")
