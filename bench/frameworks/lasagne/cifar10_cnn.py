from functools import partial

import lasagne
from lasagne.layers import Conv2DLayer, DenseLayer, DropoutLayer, InputLayer, MaxPool2DLayer
from lasagne.nonlinearities import rectify, softmax


def Model(x):
    network = InputLayer(shape=(None, 3, 32, 32), input_var=x)
    network = Conv2DLayer(network, 50, filter_size=3, pad="same", nonlinearity=rectify, name="conv1")
    network = Conv2DLayer(network, 50, filter_size=3, pad="same", nonlinearity=rectify, name="conv2")
    network = MaxPool2DLayer(network, pool_size=2)  # (batch, 50, 16, 16)
    network = DropoutLayer(network, p=0.25)

    network = Conv2DLayer(network, 100, filter_size=3, pad="same", nonlinearity=rectify, name="conv3")
    network = Conv2DLayer(network, 100, filter_size=3, pad="same", nonlinearity=rectify, name="conv4")
    network = MaxPool2DLayer(network, pool_size=2)  # (batch, 100, 8, 8)
    network = DropoutLayer(network, p=0.25)

    network = DenseLayer(network, num_units=512, nonlinearity=rectify, name="hidden")
    network = DropoutLayer(network, p=0.5)
    return DenseLayer(network, num_units=10, nonlinearity=softmax, name="head")


loss = lasagne.objectives.categorical_crossentropy

OPTIMIZERS = {
    "sgd": lambda: partial(lasagne.updates.momentum, learning_rate=0.01, momentum=0.9),
}
