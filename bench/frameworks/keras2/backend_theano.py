"""Keras 2 on Theano 1: gradients, and kernels that lie the other way round."""

import theano
import theano.ifelse  # Keras' dropout uses it, and never imports it
from keras import backend as K
from theano.gof.cmodule import GCC_compiler

from bench.errors import Unsupported

OUT_OF_MEMORY = ()  # a MemoryError like any other
IMAGES = "channels_first"  # Theano's own; with channels last, Keras transposes before and after every convolution


def configure(threads):
    """Refuse to go on without what Theano builds with; OMP_NUM_THREADS and OPENBLAS_NUM_THREADS set its threads."""
    if not theano.config.cxx or not GCC_compiler.try_flags([theano.config.blas.ldflags]):
        raise Unsupported(
            "Theano compiles with g++ and links OpenBLAS, and one is not here: apt-get install g++ libopenblas-dev"
        )


def loaded():
    return {"theano": theano.__version__}


def turned(kernel):
    """Return a kernel turned by half, in height and width: Theano's convolution is the mathematical one."""
    return kernel[::-1, ::-1]


def backward(model, variables):
    """Return what takes a batch, and returns [outputs, loss, a gradient for each variable] in training mode."""
    inputs = model.inputs + model.targets + model.sample_weights + [K.learning_phase()]
    compute = K.function(inputs, [model.output, model.total_loss] + K.gradients(model.total_loss, variables))
    return lambda values: compute(values + [1])


def what_compiled(model):
    """Say how many operations of the step that ran are C++, and not Python."""
    model = getattr(model, "model", model)  # Sequential's own
    step = getattr(model, "train_function", None) or getattr(model, "predict_function", None)
    if step is None:
        return None
    thunks = step.function.fn.thunks
    return "%d of %d operations, each for itself" % (sum(hasattr(each, "cthunk") for each in thunks), len(thunks))
