import paddle
import paddle.nn.functional as F
from paddle import nn

# For parity alone: the others have no second bias. A frozen one ends backward() with an error (upstream/).
NO_SECOND_BIAS = paddle.ParamAttr(initializer=nn.initializer.Constant(0.0), learning_rate=0.0)


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.row_lstm = nn.LSTM(1, 128, bias_hh_attr=NO_SECOND_BIAS)
        self.column_lstm = nn.LSTM(128, 128, bias_hh_attr=NO_SECOND_BIAS)
        self.head = nn.Linear(128, 10)

    def forward(self, x):  # (batch, 1, 28, 28)
        x = x.reshape([-1, 28, 1])  # (batch * 28, 28, 1): each row is a sequence
        _, (last, _) = self.row_lstm(x)  # (1, batch * 28, 128): the last output
        rows = last.reshape([-1, 28, 128])  # (batch, 28, 128)
        _, (last, _) = self.column_lstm(rows)  # (1, batch, 128)
        return self.head(last[-1])


loss = F.cross_entropy

OPTIMIZERS = {
    "rmsprop": lambda parameters: paddle.optimizer.RMSProp(1e-3, rho=0.9, epsilon=1e-16, parameters=parameters),
}
