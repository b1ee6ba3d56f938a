"""Residuals of parallel branches, scaled and added."""

from bench.oracle import relu
from bench.oracle.inception_v3 import chain, conv_norm, first_reduction, join, mixed, reduction, stem


def _residual(net, x, name, chains, scale):
    parts = [conv_norm(net, x, name + ".branch1x1")] + [chain(net, x, name + branch) for branch in chains]
    return x + scale * net.convolution(join(parts), name + ".up")


def _residuals(net, x, name, chains, scale, count):
    for index in range(count):
        x = relu(_residual(net, x, "%s.%d" % (name, index), chains, scale))
    return x


def forward(net, x):
    """Return (batch, 120) of x (batch, side, side, 3)."""
    x = mixed(net, stem(net, x), "mixed_5b", (".branch5x5", ".branch3x3dbl"))
    x = _residuals(net, x, "block35", (".branch3x3", ".branch3x3dbl"), 0.17, 10)
    x = first_reduction(net, x, "mixed_6a")
    x = _residuals(net, x, "block17", (".branch7x7",), 0.1, 20)
    x = reduction(net, x, "mixed_7a", (".branch3x3a", ".branch3x3b", ".branch3x3dbl"))
    x = _residuals(net, x, "block8", (".branch3x3",), 0.2, 9)
    x = _residual(net, x, "block8.9", (".branch3x3",), 1.0)
    return net.dense(conv_norm(net, x, "conv_7b").mean((1, 2)), "head")
