"""Inverted residuals with squeeze and excite, whose batch norms are frozen, and a head."""

import numpy as np

from bench.oracle import sigmoid, swish

EPSILON = 1e-3
STAGES = ((2, 1), (3, 2), (3, 2), (5, 2), (5, 1), (6, 2), (2, 1))  # blocks, stride of the first


def _norm(net, x, name):
    return net.batch_norm(x, name, EPSILON, is_frozen=True)


def _block(net, x, name, stride, is_first):
    shortcut = x
    if net.has(name + ".expand.kernel"):
        x = swish(_norm(net, net.convolution(x, name + ".expand"), name + ".expand_norm"))
    x = net.convolution(x, name + ".depthwise", stride, "same", by=np.multiply)
    x = swish(_norm(net, x, name + ".depthwise_norm"))
    gate = swish(net.convolution(x.mean((1, 2), keepdims=True), name + ".squeeze"))
    x = x * sigmoid(net.convolution(gate, name + ".excite"))
    x = _norm(net, net.convolution(x, name + ".project"), name + ".project_norm")
    return x if is_first else x + shortcut


def forward(net, x):
    """Return (batch, 10) of x (batch, side, side, 3)."""
    x = swish(_norm(net, net.convolution(x, "trunk.stem", 2, "same"), "trunk.stem_norm"))
    for stage, (blocks, stride) in enumerate(STAGES, 1):
        for index in range(blocks):
            x = _block(net, x, "trunk.stage%d.%d" % (stage, index), 1 if index else stride, index == 0)
    x = swish(_norm(net, net.convolution(x, "trunk.top"), "trunk.top_norm"))
    return net.dense(x.mean((1, 2)), "head")
