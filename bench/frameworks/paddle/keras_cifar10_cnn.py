import paddle
import paddle.nn.functional as F
from paddle import nn


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2D(3, 32, 3, padding=1)
        self.conv2 = nn.Conv2D(32, 32, 3)
        self.dropout1 = nn.Dropout(0.25)
        self.conv3 = nn.Conv2D(32, 64, 3, padding=1)
        self.conv4 = nn.Conv2D(64, 64, 3)
        self.dropout2 = nn.Dropout(0.25)
        self.hidden = nn.Linear(64 * 6 * 6, 512)
        self.dropout3 = nn.Dropout(0.5)
        self.head = nn.Linear(512, 10)

    def forward(self, x):  # (batch, 3, 32, 32)
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))  # (batch, 32, 30, 30)
        x = self.dropout1(F.max_pool2d(x, 2))  # (batch, 32, 15, 15)
        x = F.relu(self.conv3(x))
        x = F.relu(self.conv4(x))  # (batch, 64, 13, 13)
        x = self.dropout2(F.max_pool2d(x, 2))  # (batch, 64, 6, 6)
        x = paddle.flatten(x, 1)
        x = self.dropout3(F.relu(self.hidden(x)))
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "rmsprop": lambda parameters: paddle.optimizer.RMSProp(1e-4, rho=0.9, epsilon=1e-20, parameters=parameters),
}
