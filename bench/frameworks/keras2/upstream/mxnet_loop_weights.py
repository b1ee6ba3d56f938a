"""A recurrent layer's loop in Keras for MXNet begins with weights of 0, whatever it was drawn from or loaded with.

Seen in: keras-2.2-mxnet.
"""

import numpy as np
from keras.layers import LSTM
from keras.models import Sequential


def largest_output(unroll):
    model = Sequential([LSTM(4, unroll=unroll, input_shape=(5, 3))])
    model.compile("sgd", "mse")
    largest = np.abs(model.predict(np.ones((2, 5, 3), np.float32))).max()
    print("%-8s %.3f" % ("unrolled" if unroll else "a loop", largest))
    return largest


print("An LSTM's largest output, of weights that Keras drew:")
if largest_output(unroll=True) == 0 or largest_output(unroll=False) > 0:
    raise SystemExit("The loop has its weights: the defect is gone.")
