import mlx.optimizers as optim
from mlx import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden1 = nn.Linear(100, 256)
        self.norm1 = nn.BatchNorm(256, eps=1e-3, momentum=0.01)
        self.dropout1 = nn.Dropout(0.5)
        self.hidden2 = nn.Linear(256, 128)
        self.norm2 = nn.BatchNorm(128, eps=1e-3, momentum=0.01)
        self.dropout2 = nn.Dropout(0.5)
        self.head = nn.Linear(128, 10)

    def __call__(self, x):
        x = self.norm1(nn.relu(self.hidden1(x)))
        x = self.dropout1(x)
        x = self.norm2(nn.relu(self.hidden2(x)))
        x = self.dropout2(x)
        return self.head(x)


def loss(logits, y):
    return nn.losses.cross_entropy(logits, y, reduction="mean")


OPTIMIZERS = {
    "adam": lambda: optim.Adam(1e-3, betas=[0.9, 0.999], eps=1e-7, bias_correction=True),
}
