"""100-128-10 with ReLU."""

from bench.oracle import relu


def forward(net, x):
    """Return (batch, 10) of x (batch, 100)."""
    return net.dense(relu(net.dense(x, "hidden")), "head")
