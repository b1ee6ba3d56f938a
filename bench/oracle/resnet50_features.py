"""Bottlenecks whose stride sits in the first convolution, and the average of their channels."""

import numpy as np

from bench.oracle import max_pool, relu

EPSILON = 1.001e-5


def _normed(net, x, conv, norm, stride=1, padding="valid"):
    return net.batch_norm(net.convolution(x, conv, stride, padding), norm, EPSILON)


def _block(net, x, name, stride):
    shortcut = x
    if net.has(name + ".shortcut.kernel"):
        shortcut = _normed(net, x, name + ".shortcut", name + ".shortcut_norm", stride)
    x = relu(_normed(net, x, name + ".conv1", name + ".norm1", stride))
    x = relu(_normed(net, x, name + ".conv2", name + ".norm2", padding="same"))
    return relu(_normed(net, x, name + ".conv3", name + ".norm3") + shortcut)


def stem(net, x, epsilon=EPSILON):
    """Return what a convolution and a pooling, both in strides of 2, make of images."""
    x = relu(net.batch_norm(net.convolution(x, "conv", 2, padding=3), "norm", epsilon))
    return max_pool(np.pad(x, ((0, 0), (1, 1), (1, 1), (0, 0)), "constant"), 3, 2)


def forward(net, x):
    """Return (batch, 2048) of x (batch, side, side, 3)."""
    x = stem(net, x)
    for stage, blocks in enumerate((3, 4, 6, 3), 1):
        for index in range(blocks):
            x = _block(net, x, "stage%d.%d" % (stage, index), stride=2 if stage > 1 and index == 0 else 1)
    return x.mean((1, 2))
