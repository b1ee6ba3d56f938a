from functools import partial

import lasagne
from lasagne.layers import DenseLayer, DropoutLayer, InputLayer
from lasagne.nonlinearities import rectify, softmax


def Model(x):
    network = InputLayer(shape=(None, 784), input_var=x)
    network = DenseLayer(network, num_units=512, nonlinearity=rectify, name="hidden1")
    network = DropoutLayer(network, p=0.2)
    network = DenseLayer(network, num_units=512, nonlinearity=rectify, name="hidden2")
    network = DropoutLayer(network, p=0.2)
    return DenseLayer(network, num_units=10, nonlinearity=softmax, name="head")


loss = lasagne.objectives.categorical_crossentropy

OPTIMIZERS = {
    # Lasagne adds epsilon under the root: 1e-20 there is the workload's 1e-10 outside it.
    "rmsprop": lambda: partial(lasagne.updates.rmsprop, learning_rate=0.001, rho=0.9, epsilon=1e-20),
}
