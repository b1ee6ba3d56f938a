import mlx.optimizers as optim
from mlx import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 32, 3, padding=1)
        self.conv2 = nn.Conv2d(32, 32, 3)
        self.dropout1 = nn.Dropout(0.25)
        self.conv3 = nn.Conv2d(32, 64, 3, padding=1)
        self.conv4 = nn.Conv2d(64, 64, 3)
        self.dropout2 = nn.Dropout(0.25)
        self.pool = nn.MaxPool2d(2, stride=2)
        self.hidden = nn.Linear(6 * 6 * 64, 512)
        self.dropout3 = nn.Dropout(0.5)
        self.head = nn.Linear(512, 10)

    def __call__(self, x):  # (batch, 32, 32, 3)
        x = nn.relu(self.conv1(x))
        x = nn.relu(self.conv2(x))  # (batch, 30, 30, 32)
        x = self.dropout1(self.pool(x))  # (batch, 15, 15, 32)
        x = nn.relu(self.conv3(x))
        x = nn.relu(self.conv4(x))  # (batch, 13, 13, 64)
        x = self.dropout2(self.pool(x))  # (batch, 6, 6, 64)
        x = x.flatten(1)
        x = self.dropout3(nn.relu(self.hidden(x)))
        return self.head(x)


def loss(logits, y):
    return nn.losses.cross_entropy(logits, y, reduction="mean")


OPTIMIZERS = {
    "rmsprop": lambda: optim.RMSprop(1e-4, alpha=0.9, eps=1e-10),
}
