from functools import partial

import lasagne
from lasagne.layers import DenseLayer, InputLayer
from lasagne.nonlinearities import rectify, softmax


def Model(x):
    network = InputLayer(shape=(None, 100), input_var=x)
    network = DenseLayer(network, num_units=128, nonlinearity=rectify, name="hidden")
    return DenseLayer(network, num_units=10, nonlinearity=softmax, name="head")


loss = lasagne.objectives.categorical_crossentropy

OPTIMIZERS = {
    # Lasagne's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), 1e-7 at step 10.
    "adam": lambda: partial(lasagne.updates.adam, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
