from functools import partial

import lasagne
import theano
import theano.tensor as T
from lasagne.init import Constant
from lasagne.layers import DenseLayer, DropoutLayer, InputLayer
from lasagne.nonlinearities import rectify, softmax


class BatchNormLayer(lasagne.layers.Layer):
    """Batch norm, which Lasagne has only after 0.1: written as its authors passed it on until then."""

    def __init__(self, incoming, epsilon, alpha, **kwargs):
        super(BatchNormLayer, self).__init__(incoming, **kwargs)
        self.epsilon = epsilon
        self.alpha = alpha  # the share of the batch in the moving statistics
        shape = (self.input_shape[1],)
        self.gamma = self.add_param(Constant(1.0), shape, name="gamma")
        self.beta = self.add_param(Constant(0.0), shape, name="beta", regularizable=False)
        self.mean = self.add_param(Constant(0.0), shape, name="mean", trainable=False, regularizable=False)
        self.var = self.add_param(Constant(1.0), shape, name="var", trainable=False, regularizable=False)

    def get_output_for(self, x, deterministic=False, **kwargs):
        if deterministic:
            mean, var = self.mean, self.var
        else:
            mean, var = x.mean(axis=0), x.var(axis=0)
            # Clones share the statistics' memory, and whichever function has them in its graph updates them; there
            # they add nothing, which Theano finds and leaves out.
            running_mean = theano.clone(self.mean, share_inputs=False)
            running_var = theano.clone(self.var, share_inputs=False)
            running_mean.default_update = (1 - self.alpha) * running_mean + self.alpha * mean
            running_var.default_update = (1 - self.alpha) * running_var + self.alpha * var
            mean += 0 * running_mean
            var += 0 * running_var
        return (x - mean) * (self.gamma / T.sqrt(var + self.epsilon)) + self.beta


def Model(x):
    network = InputLayer(shape=(None, 100), input_var=x)
    network = DenseLayer(network, num_units=256, nonlinearity=rectify, name="hidden1")
    network = BatchNormLayer(network, epsilon=1e-3, alpha=0.01, name="norm1")
    network = DropoutLayer(network, p=0.5)
    network = DenseLayer(network, num_units=128, nonlinearity=rectify, name="hidden2")
    network = BatchNormLayer(network, epsilon=1e-3, alpha=0.01, name="norm2")
    network = DropoutLayer(network, p=0.5)
    return DenseLayer(network, num_units=10, nonlinearity=softmax, name="head")


loss = lasagne.objectives.categorical_crossentropy

OPTIMIZERS = {
    # Lasagne's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), 1e-7 at step 10.
    "adam": lambda: partial(lasagne.updates.adam, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
