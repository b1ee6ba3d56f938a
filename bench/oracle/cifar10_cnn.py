"""Two pairs of padded convolutions, each pooled, and two dense layers."""

from bench.oracle import max_pool, relu


def forward(net, x, second="same"):
    """Return (batch, 10) of x (batch, 32, 32, 3); `second` is the padding of each pair's second convolution."""
    for first_conv, second_conv in (("conv1", "conv2"), ("conv3", "conv4")):
        x = relu(net.convolution(x, first_conv, padding="same"))
        x = max_pool(relu(net.convolution(x, second_conv, padding=second)))
    return net.dense(relu(net.dense(x, "hidden")), "head")
