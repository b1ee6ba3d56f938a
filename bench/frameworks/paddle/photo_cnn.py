import paddle
import paddle.nn.functional as F
from paddle import nn


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(3, 16, 8, stride=4)
        self.conv2 = nn.Conv2D(16, 32, 3)
        self.conv3 = nn.Conv2D(32, 64, 3)
        self.head = nn.Linear(64 * 7 * 7, 8)

    def forward(self, x):  # (batch, 3, 300, 300)
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)  # (batch, 16, 37, 37)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)  # (batch, 32, 17, 17)
        x = F.max_pool2d(F.relu(self.conv3(x)), 2)  # (batch, 64, 7, 7)
        return self.head(paddle.flatten(x, 1))


loss = F.cross_entropy

OPTIMIZERS = {
    "sgd": lambda parameters: paddle.optimizer.Momentum(0.01, momentum=0.9, parameters=parameters),
}
