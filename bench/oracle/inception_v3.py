"""Mixed blocks of parallel branches, each convolution followed by batch norm without a scale and ReLU."""

import numpy as np

from bench.oracle import average_pool, max_pool, relu

EPSILON = 1e-3


def conv_norm(net, x, name, stride=1, padding="same"):
    """Return ReLU of the batch norm of a convolution."""
    return relu(net.batch_norm(net.convolution(x, name + ".conv", stride, padding), name + ".norm", EPSILON))


def chain(net, x, name, ends_in_stride=False):
    """Return what as many convolutions in a row as are stated make of x; the last may stride by 2, without padding."""
    index = 0
    while net.has("%s.%d.conv.kernel" % (name, index)):
        is_last = not net.has("%s.%d.conv.kernel" % (name, index + 1))
        stride_and_padding = (2, "valid") if is_last and ends_in_stride else (1, "same")
        x = conv_norm(net, x, "%s.%d" % (name, index), *stride_and_padding)
        index += 1
    return x


def join(parts):
    """Return branches side by side."""
    return np.concatenate(parts, axis=-1)


def stem(net, x):
    """Return the output of the layers before the mixed blocks."""
    x = conv_norm(net, conv_norm(net, x, "stem1", 2, "valid"), "stem2", padding="valid")
    x = max_pool(conv_norm(net, x, "stem3"), 3, 2)
    return max_pool(conv_norm(net, conv_norm(net, x, "stem4"), "stem5", padding="valid"), 3, 2)


def mixed(net, x, name, chains, branches=()):
    """Return a block of a 1x1 convolution, chains, other branches, and a convolution of averages."""
    pooled = conv_norm(net, average_pool(x, 3, 1, "same"), name + ".branch_pool")
    rows = [chain(net, x, name + branch) for branch in chains]
    return join([conv_norm(net, x, name + ".branch1x1"), *rows, *branches, pooled])


def reduction(net, x, name, chains, branches=()):
    """Return a block that halves the sides: branches, chains whose last convolution strides, and maxima."""
    rows = [chain(net, x, name + branch, ends_in_stride=True) for branch in chains]
    return join([*branches, *rows, max_pool(x, 3, 2)])


def first_reduction(net, x, name):
    """Return the first such block: a convolution in strides of 2, a chain, and maxima."""
    return reduction(net, x, name, (".branch3x3dbl",), [conv_norm(net, x, name + ".branch3x3", 2, "valid")])


def _inception_c(net, x, name):
    single, double = conv_norm(net, x, name + ".branch3x3"), chain(net, x, name + ".branch3x3dbl")
    split = [conv_norm(net, given, name + branch + way)
             for given, branch in ((single, ".branch3x3"), (double, ".branch3x3dbl"))
             for way in ("_row", "_column")]  # fmt: skip
    return mixed(net, x, name, (), split)


def forward(net, x):
    """Return (batch, 120) of x (batch, side, side, 3)."""
    x = stem(net, x)
    for name in ("mixed0", "mixed1", "mixed2"):
        x = mixed(net, x, name, (".branch5x5", ".branch3x3dbl"))
    x = first_reduction(net, x, "mixed3")
    for name in ("mixed4", "mixed5", "mixed6", "mixed7"):
        x = mixed(net, x, name, (".branch7x7", ".branch7x7dbl"))
    x = reduction(net, x, "mixed8", (".branch3x3", ".branch7x7x3"))
    x = _inception_c(net, _inception_c(net, x, "mixed9"), "mixed10")
    return net.dense(x.mean((1, 2)), "head")
