import mlx.optimizers as optim
from mlx import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = [nn.LSTM(8, 64), nn.LSTM(64, 64)]
        self.head = nn.Linear(64, 1)

    def __call__(self, x):  # (batch, 48, 8)
        for layer in self.lstm:
            x, _ = layer(x)  # (batch, 48, 64)
        return self.head(x[:, -1])  # (batch, 1)


def loss(outputs, y):
    return nn.losses.mse_loss(outputs, y, reduction="mean")


OPTIMIZERS = {
    "adam": lambda: optim.Adam(1e-3, betas=[0.9, 0.999], eps=1e-7, bias_correction=True),
}
