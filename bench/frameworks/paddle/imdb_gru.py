import paddle
import paddle.nn.functional as F
from paddle import nn


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30_000, 125)
        self.gru = nn.GRU(125, 100)
        self.head = nn.Linear(100, 2)

    def forward(self, x):  # (batch, 150)
        x = self.embedding(x)  # (batch, 150, 125)
        _, last = self.gru(x)  # (1, batch, 100): the last output
        return self.head(last[-1])


loss = F.cross_entropy

OPTIMIZERS = {
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
