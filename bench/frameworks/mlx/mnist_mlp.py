import mlx.optimizers as optim
from mlx import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden1 = nn.Linear(784, 512)
        self.dropout1 = nn.Dropout(0.2)
        self.hidden2 = nn.Linear(512, 512)
        self.dropout2 = nn.Dropout(0.2)
        self.head = nn.Linear(512, 10)

    def __call__(self, x):
        x = self.dropout1(nn.relu(self.hidden1(x)))
        x = self.dropout2(nn.relu(self.hidden2(x)))
        return self.head(x)


def loss(logits, y):
    return nn.losses.cross_entropy(logits, y, reduction="mean")


OPTIMIZERS = {
    "rmsprop": lambda: optim.RMSprop(1e-3, alpha=0.9, eps=1e-10),
}
