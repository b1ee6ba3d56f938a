import paddle
import paddle.nn.functional as F
from paddle import nn

# For parity alone: the others have no second bias. A frozen one ends backward() with an error (upstream/).
NO_SECOND_BIAS = paddle.ParamAttr(initializer=nn.initializer.Constant(0.0), learning_rate=0.0)


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(8, 64, num_layers=2, bias_hh_attr=NO_SECOND_BIAS)
        self.head = nn.Linear(64, 1)

    def forward(self, x):  # (batch, 48, 8)
        _, (last, _) = self.lstm(x)  # (2, batch, 64): each layer's last output
        return self.head(last[-1])  # (batch, 1)


loss = F.mse_loss

OPTIMIZERS = {
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
