"""An embedding, a GRU, its last output."""


def forward(net, x, is_reset_before=False):
    """Return (batch, 2) of x (batch, 150)."""
    return net.dense(net.gru(net.embedding(x, "embedding"), "gru", is_reset_before), "head")
