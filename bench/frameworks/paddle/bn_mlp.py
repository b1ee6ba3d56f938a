import paddle
import paddle.nn.functional as F
from paddle import nn


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.hidden1 = nn.Linear(100, 256)
        self.norm1 = nn.BatchNorm1D(256, epsilon=1e-3, momentum=0.99)
        self.dropout1 = nn.Dropout(0.5)
        self.hidden2 = nn.Linear(256, 128)
        self.norm2 = nn.BatchNorm1D(128, epsilon=1e-3, momentum=0.99)
        self.dropout2 = nn.Dropout(0.5)
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        x = self.norm1(F.relu(self.hidden1(x)))
        x = self.dropout1(x)
        x = self.norm2(F.relu(self.hidden2(x)))
        x = self.dropout2(x)
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
