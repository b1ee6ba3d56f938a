import mlx.optimizers as optim
from mlx import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.row_lstm = nn.LSTM(1, 128)
        self.column_lstm = nn.LSTM(128, 128)
        self.head = nn.Linear(128, 10)

    def __call__(self, x):  # (batch, 28, 28, 1)
        outputs, _ = self.row_lstm(x)  # (batch, 28, 28, 128): batch and rows are both batch dimensions
        outputs, _ = self.column_lstm(outputs[:, :, -1])  # (batch, 28, 128), from the last output of each row
        return self.head(outputs[:, -1])


def loss(logits, y):
    return nn.losses.cross_entropy(logits, y, reduction="mean")


OPTIMIZERS = {
    "rmsprop": lambda: optim.RMSprop(1e-3, alpha=0.9, eps=1e-8),
}
