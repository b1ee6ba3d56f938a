import paddle
import paddle.nn.functional as F
from paddle import nn


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(1, 32, 3)
        self.conv2 = nn.Conv2D(32, 64, 3)
        self.dropout1 = nn.Dropout(0.25)
        self.hidden = nn.Linear(64 * 12 * 12, 128)
        self.dropout2 = nn.Dropout(0.5)
        self.head = nn.Linear(128, 10)

    def forward(self, x):  # (batch, 1, 28, 28)
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))  # (batch, 64, 24, 24)
        x = self.dropout1(F.max_pool2d(x, 2))  # (batch, 64, 12, 12)
        x = paddle.flatten(x, 1)
        x = self.dropout2(F.relu(self.hidden(x)))
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "adadelta": lambda parameters: paddle.optimizer.Adadelta(1.0, epsilon=1e-8, rho=0.95, parameters=parameters),
}
