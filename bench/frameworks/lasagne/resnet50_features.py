import lasagne
import theano.tensor as T
from lasagne.init import Constant
from lasagne.layers import (
    Conv2DLayer,
    ElemwiseSumLayer,
    GlobalPoolLayer,
    InputLayer,
    MaxPool2DLayer,
    NonlinearityLayer,
)
from lasagne.nonlinearities import rectify


class BatchNormLayer(lasagne.layers.Layer):
    """Batch norm, which Lasagne has only after 0.1, by its moving statistics: nothing is trained here."""

    def __init__(self, incoming, epsilon, **kwargs):
        super(BatchNormLayer, self).__init__(incoming, **kwargs)
        self.epsilon = epsilon
        shape = (self.input_shape[1],)
        self.gamma = self.add_param(Constant(1.0), shape, name="gamma")
        self.beta = self.add_param(Constant(0.0), shape, name="beta", regularizable=False)
        self.mean = self.add_param(Constant(0.0), shape, name="mean", trainable=False, regularizable=False)
        self.var = self.add_param(Constant(1.0), shape, name="var", trainable=False, regularizable=False)

    def get_output_for(self, x, **kwargs):
        scale = self.gamma / T.sqrt(self.var + self.epsilon)
        mean, scale, beta = [each.dimshuffle("x", 0, "x", "x") for each in (self.mean, scale, self.beta)]
        return (x - mean) * scale + beta


def conv_norm(network, filters, size, stride=1, pad=0, conv="conv", norm="norm"):
    network = Conv2DLayer(network, filters, filter_size=size, stride=stride, pad=pad, nonlinearity=None, name=conv)
    return BatchNormLayer(network, epsilon=1.001e-5, name=norm)


def bottleneck(network, width, stride, has_shortcut, name):
    names = [{"conv": "%s.conv%d" % (name, part), "norm": "%s.norm%d" % (name, part)} for part in (1, 2, 3)]
    shortcut = network
    if has_shortcut:
        shortcut = conv_norm(network, 4 * width, 1, stride, conv=name + ".shortcut", norm=name + ".shortcut_norm")
    network = NonlinearityLayer(conv_norm(network, width, 1, stride, **names[0]), rectify)
    network = NonlinearityLayer(conv_norm(network, width, 3, pad=1, **names[1]), rectify)
    network = conv_norm(network, 4 * width, 1, **names[2])
    return NonlinearityLayer(ElemwiseSumLayer([network, shortcut]), rectify)


def stage(network, width, blocks, stride, name):
    for block in range(blocks):
        has_shortcut = block == 0
        network = bottleneck(network, width, stride if block == 0 else 1, has_shortcut, "%s.%d" % (name, block))
    return network


def Model(x):
    network = InputLayer(shape=(None, 3, None, None), input_var=x)  # of any side: parity asks it of small images
    network = NonlinearityLayer(conv_norm(network, 64, 7, stride=2, pad=3), rectify)
    network = MaxPool2DLayer(network, pool_size=3, stride=2, pad=1)  # (batch, 64, 56, 56)
    network = stage(network, 64, blocks=3, stride=1, name="stage1")
    network = stage(network, 128, blocks=4, stride=2, name="stage2")
    network = stage(network, 256, blocks=6, stride=2, name="stage3")
    network = stage(network, 512, blocks=3, stride=2, name="stage4")  # (batch, 2048, 7, 7)
    return GlobalPoolLayer(network)  # (batch, 2048)


loss = None  # inference only

OPTIMIZERS = {}
