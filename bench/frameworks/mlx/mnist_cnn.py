import mlx.optimizers as optim
from mlx import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.pool = nn.MaxPool2d(2, stride=2)
        self.dropout1 = nn.Dropout(0.25)
        self.hidden = nn.Linear(12 * 12 * 64, 128)
        self.dropout2 = nn.Dropout(0.5)
        self.head = nn.Linear(128, 10)

    def __call__(self, x):  # (batch, 28, 28, 1)
        x = nn.relu(self.conv1(x))
        x = nn.relu(self.conv2(x))  # (batch, 24, 24, 64)
        x = self.dropout1(self.pool(x))  # (batch, 12, 12, 64)
        x = x.flatten(1)
        x = self.dropout2(nn.relu(self.hidden(x)))
        return self.head(x)


def loss(logits, y):
    return nn.losses.cross_entropy(logits, y, reduction="mean")


OPTIMIZERS = {
    "adadelta": lambda: optim.AdaDelta(1.0, rho=0.95, eps=1e-8),
}
