"""As cifar10_cnn, the second convolution of each pair without padding."""

from bench.oracle import cifar10_cnn


def forward(net, x):
    """Return (batch, 10) of x (batch, 32, 32, 3)."""
    return cifar10_cnn.forward(net, x, second="valid")
