"""Five blocks of convolutions, each pooled, and three dense layers."""

from bench.oracle import max_pool, relu


def forward(net, x):
    """Return (batch, 120) of x (batch, 224, 224, 3); the weights tell how many convolutions a block has."""
    for block in ("block%d" % number for number in range(1, 6)):
        index = 0
        while net.has("%s.%d.kernel" % (block, index)):
            x = relu(net.convolution(x, "%s.%d" % (block, index), padding="same"))
            index += 1
        x = max_pool(x)
    x = relu(net.dense(x, "hidden1"))
    return net.dense(relu(net.dense(x, "hidden2")), "head")
