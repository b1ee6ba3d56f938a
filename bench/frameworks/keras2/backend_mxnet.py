"""Keras 2 on MXNet 1.5: gradients, kernels with their outputs first, and what Keras for MXNet computes otherwise."""

import mxnet as mx
import numpy as np
import pkg_resources
from keras import backend as K
from keras import layers, models, optimizers
from keras.backend import mxnet_backend

KERAS = "keras-mxnet"  # what its package is called
OUT_OF_MEMORY = (MemoryError,)
# As a dense layer reads them: since Keras 2.2, Flatten brings the channels last that `configure` sets first.
IMAGES = "channels_last"


class Read(np.ndarray):
    """An array as MXNet holds it: by its type `turned` tells a kernel that was read from one that is to be loaded."""


class Loss(float):
    """A step's loss, which is ready before the step's update: reading its value waits for both."""

    def __float__(self):
        mx.nd.waitall()
        return super().__float__()


def configure(threads):
    """Set images to channels first, as MXNet's guide for Keras advises; OMP_NUM_THREADS, read at import, sets threads.

    Its default, channels last, is transposed before and after every convolution.
    """
    K.set_image_data_format("channels_first")
    K.Context("cpu").__enter__()  # else each model looks for GPUs, which this build cannot use
    batch_get_value = K.batch_get_value
    K.batch_get_value = lambda variables: [value.view(Read) for value in batch_get_value(variables)]
    K.identity = _identity
    mxnet_backend.set_model = _take_over
    model = models.Model
    model._adjust_module = _taking_over(model._adjust_module)
    model._make_train_function = _with_loss(model._make_train_function)
    model.fit = _waiting(model.fit)
    K.rnn = _with_weights(K.rnn)
    layers.LSTM.__init__ = _with_all_biases(layers.LSTM.__init__)
    optimizers.RMSprop.__init__ = _with_epsilon_outside(optimizers.RMSprop.__init__)
    optimizers.Adadelta.update = _with_rate(optimizers.Adadelta.update)


@K.keras_mxnet_symbol
def _identity(x):
    """Return a tensor as it is, of any batch size: Keras asks for it where a layer, as dropout at rate 0, does nothing.

    Keras for MXNet takes the value that the tensor has, and it has none yet.
    """
    return K.KerasSymbol(mx.sym.identity(x.symbol))


def _take_over(model):
    """Make `model` the one whose weights Keras reads and sets, and keep what the last one learned.

    Keras for MXNet knows one model alone, the last that was compiled, though another may be the next to step.
    """
    last = mxnet_backend._MODEL
    if last is not model:
        if last is not None:
            last._sync_weights()
        mxnet_backend._MODEL = model
        model._set_weights()


def _taking_over(adjust_module):
    def adjusted(model, inputs, phase):
        _take_over(model)
        return adjust_module(model, inputs, phase)

    return adjusted


def _with_loss(make_train_function):
    def made(model):
        make_train_function(model)
        compute = model.train_function
        model.train_function = lambda inputs: [Loss(value) for value in compute(inputs)]

    return made


def _waiting(fit):
    def fitted(*args, **kwargs):
        history = fit(*args, **kwargs)
        mx.nd.waitall()  # the last step's update
        return history

    return fitted


def _with_weights(rnn):
    """Return the loop of a recurrent layer, after which the layer's weights are found.

    Keras for MXNet finds a model's weights by following the graph, which does not include what a loop's step reads.
    The layer would begin at zeros, whatever is loaded. Unrolled layers are whole, but neither within
    TimeDistributed nor behind RepeatVector can MXNet infer the shapes of one.
    """

    def found(*args, **kwargs):
        last_output, outputs, states = rnn(*args, **kwargs)
        for weight in kwargs["cell"].weights:
            last_output.add_neighbor(weight)
            outputs.add_neighbor(weight)
        return last_output, outputs, states

    return found


def _with_all_biases(initialize):
    """Return an LSTM's `__init__` that makes one product of all its gates.

    In the default, a product for each gate, Keras for MXNet adds the bias of the input gate to all four.
    """

    def initialized(layer, *args, **kwargs):
        initialize(layer, *args, **dict({"implementation": 2}, **kwargs))

    return initialized


def _with_epsilon_outside(initialize):
    """Return an RMSprop's `__init__` that squares epsilon.

    MXNet adds it under the root, Keras outside: its square there does as much, as long as the one or the other decides.
    """

    def initialized(optimizer, *args, epsilon=1e-8, **kwargs):
        initialize(optimizer, *args, epsilon=epsilon**2, **kwargs)

    return initialized


def _with_rate(update):
    """Return Adadelta's update times its learning rate, which MXNet's has none of: Keras takes it and leaves it out."""

    def updated(optimizer, index, weight, grad, state):
        rate, before = optimizer._get_lr(index), weight
        if rate != 1:
            before = weight.copy()
        update(optimizer, index, weight, grad, state)
        if rate != 1:
            weight[:] = before + rate * (weight - before)

    return updated


def loaded():
    return {"mxnet": pkg_resources.get_distribution("mxnet").version}  # mx.__version__ leaves ".post0" out


def turned(kernel):
    """Return a kernel with its outputs first, then inputs, height and width; or one that was read so, turned back."""
    if isinstance(kernel, Read):
        height, width, inputs, outputs = kernel.shape
        return kernel.reshape(outputs, inputs, height, width).transpose(2, 3, 1, 0)
    return kernel.transpose(3, 2, 0, 1)


def backward(model, variables):
    """Return what takes a batch, and returns [outputs, loss, a gradient for each variable] in training mode.

    K.gradients is missing: this is the graph that a step runs, and beside its loss the outputs.
    """
    graph = mx.sym.Group([model._train_mxnet_symbol, mx.sym.BlockGrad(model.output._train_sym)])

    def compute(values):
        inputs = dict(zip([each.name for each in model.inputs + model.targets + model.sample_weights], values))
        shapes = {name: value.shape for name, value in inputs.items()}
        executor = graph.simple_bind(mx.cpu(), grad_req={each.name: "write" for each in variables}, **shapes)
        model._sync_weights()
        executor.copy_params_from(model._args, model._auxs)
        outputs = executor.forward(is_train=True, **inputs)
        executor.backward()
        found = [executor.grad_dict[each.name].asnumpy().view(Read) for each in variables]
        return [outputs[-1].asnumpy(), outputs[0].asnumpy().mean()] + found

    return compute
