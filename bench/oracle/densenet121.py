"""Batch norm and ReLU before each convolution but the first; each layer's channels join those before it."""

import numpy as np

from bench.oracle import average_pool, relu
from bench.oracle.resnet50_features import stem

EPSILON = 1.001e-5


def _after_norm(net, x, norm, conv):
    return net.convolution(relu(net.batch_norm(x, norm, EPSILON)), conv, padding="same")


def forward(net, x):
    """Return (batch, 14) of x (batch, side, side, 3)."""
    x = stem(net, x, EPSILON)
    for block, depth in enumerate((6, 12, 24, 16), 1):
        if block > 1:
            name = "transition%d." % (block - 1)
            x = average_pool(_after_norm(net, x, name + "norm", name + "conv"), 2)
        for name in ("block%d.%d." % (block, index) for index in range(depth)):
            new = _after_norm(net, x, name + "norm1", name + "conv1")
            x = np.concatenate([x, _after_norm(net, new, name + "norm2", name + "conv2")], axis=-1)
    return net.dense(relu(net.batch_norm(x, "final_norm", EPSILON)).mean((1, 2)), "head")
