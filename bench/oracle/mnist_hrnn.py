"""An LSTM over the pixels of each row, a second one over the rows."""


def forward(net, x):
    """Return (batch, 10) of x (batch, 28, 28, 1)."""
    rows = net.lstm(x, "row_lstm")[:, :, -1]
    return net.dense(net.lstm(rows, "column_lstm")[:, -1], "head")
