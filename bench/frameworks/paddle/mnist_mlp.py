import paddle
import paddle.nn.functional as F
from paddle import nn


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.hidden1 = nn.Linear(784, 512)
        self.dropout1 = nn.Dropout(0.2)
        self.hidden2 = nn.Linear(512, 512)
        self.dropout2 = nn.Dropout(0.2)
        self.head = nn.Linear(512, 10)

    def forward(self, x):
        x = self.dropout1(F.relu(self.hidden1(x)))
        x = self.dropout2(F.relu(self.hidden2(x)))
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "rmsprop": lambda parameters: paddle.optimizer.RMSProp(1e-3, rho=0.9, epsilon=1e-20, parameters=parameters),
}
