import mlx.optimizers as optim
from mlx import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 16, 8, stride=4)
        self.conv2 = nn.Conv2d(16, 32, 3)
        self.conv3 = nn.Conv2d(32, 64, 3)
        self.pool = nn.MaxPool2d(2, stride=2)
        self.head = nn.Linear(7 * 7 * 64, 8)

    def __call__(self, x):  # (batch, 300, 300, 3)
        x = self.pool(nn.relu(self.conv1(x)))  # (batch, 37, 37, 16)
        x = self.pool(nn.relu(self.conv2(x)))  # (batch, 17, 17, 32)
        x = self.pool(nn.relu(self.conv3(x)))  # (batch, 7, 7, 64)
        return self.head(x.flatten(1))


def loss(logits, y):
    return nn.losses.cross_entropy(logits, y, reduction="mean")


OPTIMIZERS = {
    "sgd": lambda: optim.SGD(0.01, momentum=0.9),
}
