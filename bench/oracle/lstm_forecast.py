"""Two LSTM layers, the last output."""


def forward(net, x):
    """Return (batch, 1) of x (batch, 48, 8)."""
    return net.dense(net.lstm(net.lstm(x, "lstm.0"), "lstm.1")[:, -1], "head")
