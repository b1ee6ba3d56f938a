import paddle
import paddle.nn.functional as F
from paddle import nn


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(3, 50, 3, padding=1)
        self.conv2 = nn.Conv2D(50, 50, 3, padding=1)
        self.dropout1 = nn.Dropout(0.25)
        self.conv3 = nn.Conv2D(50, 100, 3, padding=1)
        self.conv4 = nn.Conv2D(100, 100, 3, padding=1)
        self.dropout2 = nn.Dropout(0.25)
        self.hidden = nn.Linear(100 * 8 * 8, 512)
        self.dropout3 = nn.Dropout(0.5)
        self.head = nn.Linear(512, 10)

    def forward(self, x):  # (batch, 3, 32, 32)
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = self.dropout1(F.max_pool2d(x, 2))  # (batch, 50, 16, 16)
        x = F.relu(self.conv3(x))
        x = F.relu(self.conv4(x))
        x = self.dropout2(F.max_pool2d(x, 2))  # (batch, 100, 8, 8)
        x = paddle.flatten(x, 1)
        x = self.dropout3(F.relu(self.hidden(x)))
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "sgd": lambda parameters: paddle.optimizer.Momentum(0.01, momentum=0.9, parameters=parameters),
}
