import paddle
import paddle.nn.functional as F
from paddle import nn


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(100, 128)
        self.head = nn.Linear(128, 10)

    def forward(self, x):
        return self.head(F.relu(self.hidden(x)))


loss = F.cross_entropy

OPTIMIZERS = {
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
