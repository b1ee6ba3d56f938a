from functools import partial

import lasagne
from lasagne.layers import Conv2DLayer, DenseLayer, DropoutLayer, InputLayer, MaxPool2DLayer
from lasagne.nonlinearities import rectify, softmax


def Model(x):
    network = InputLayer(shape=(None, 1, 28, 28), input_var=x)
    network = Conv2DLayer(network, 32, filter_size=3, nonlinearity=rectify, name="conv1")
    network = Conv2DLayer(network, 64, filter_size=3, nonlinearity=rectify, name="conv2")  # (batch, 64, 24, 24)
    network = MaxPool2DLayer(network, pool_size=2)  # (batch, 64, 12, 12)
    network = DropoutLayer(network, p=0.25)
    network = DenseLayer(network, num_units=128, nonlinearity=rectify, name="hidden")
    network = DropoutLayer(network, p=0.5)
    return DenseLayer(network, num_units=10, nonlinearity=softmax, name="head")


loss = lasagne.objectives.categorical_crossentropy

OPTIMIZERS = {
    "adadelta": lambda: partial(lasagne.updates.adadelta, learning_rate=1.0, rho=0.95, epsilon=1e-8),
}
