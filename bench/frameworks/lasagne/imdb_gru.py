from functools import partial

import lasagne
import theano
import theano.tensor as T
from lasagne.init import Constant, Normal
from lasagne.layers import DenseLayer, EmbeddingLayer, InputLayer, SliceLayer
from lasagne.nonlinearities import sigmoid, softmax, tanh


class TwoBiasGRULayer(lasagne.layers.Layer):
    """The GRU of cuDNN, whose gates have two biases each, after Lasagne's GRULayer, whose gates have one.

    Both reset after the recurrent product, where the second bias of the candidate makes a difference. Here as there the
    products with the input are made of all steps at once, and theano.scan loops over the others.
    """

    def __init__(self, incoming, num_units, **kwargs):
        super(TwoBiasGRULayer, self).__init__(incoming, **kwargs)
        self.num_units = num_units
        num_inputs = self.input_shape[2]
        self.W_in = self.add_param(Normal(0.1), (num_inputs, 3 * num_units), name="W_in")
        self.W_hid = self.add_param(Normal(0.1), (num_units, 3 * num_units), name="W_hid")
        self.b_in = self.add_param(Constant(0.0), (3 * num_units,), name="b_in", regularizable=False)
        self.b_hid = self.add_param(Constant(0.0), (3 * num_units,), name="b_hid", regularizable=False)

    def get_output_shape_for(self, input_shape):
        return input_shape[0], input_shape[1], self.num_units

    def get_output_for(self, x, **kwargs):
        x = x.dimshuffle(1, 0, 2)  # scan loops over the first dimension
        x = T.dot(x, self.W_in) + self.b_in

        def slice_w(gates, n):
            return gates[:, n * self.num_units : (n + 1) * self.num_units]

        def step(input_n, hid_previous, W_hid, b_hid):
            hid_input = T.dot(hid_previous, W_hid) + b_hid
            updategate = sigmoid(slice_w(input_n, 0) + slice_w(hid_input, 0))
            resetgate = sigmoid(slice_w(input_n, 1) + slice_w(hid_input, 1))
            hidden_update = tanh(slice_w(input_n, 2) + resetgate * slice_w(hid_input, 2))
            return updategate * hid_previous + (1 - updategate) * hidden_update

        hid_init = T.zeros((x.shape[1], self.num_units))
        hid_out, _ = theano.scan(
            step, sequences=x, outputs_info=hid_init, non_sequences=[self.W_hid, self.b_hid], strict=True
        )
        return hid_out.dimshuffle(1, 0, 2)


def Model(x):
    network = InputLayer(shape=(None, 150), input_var=x)
    network = EmbeddingLayer(network, input_size=30000, output_size=125, name="embedding")  # (batch, 150, 125)
    network = TwoBiasGRULayer(network, num_units=100, name="gru")  # (batch, 150, 100)
    network = SliceLayer(network, indices=-1, axis=1)  # the last
    return DenseLayer(network, num_units=2, nonlinearity=softmax, name="head")


loss = lasagne.objectives.categorical_crossentropy

OPTIMIZERS = {
    # Lasagne's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), 1e-7 at step 10.
    "adam": lambda: partial(lasagne.updates.adam, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
