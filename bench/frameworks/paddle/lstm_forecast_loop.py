import paddle
import paddle.nn.functional as F
from paddle import nn

# For parity alone: the others have no second bias.
NO_SECOND_BIAS = paddle.ParamAttr(initializer=nn.initializer.Constant(0.0), trainable=False)


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LayerList(
            [
                nn.LSTMCell(8, 64, bias_hh_attr=NO_SECOND_BIAS),
                nn.LSTMCell(64, 64, bias_hh_attr=NO_SECOND_BIAS),
            ]
        )
        self.head = nn.Linear(64, 1)

    def forward(self, x):  # (batch, 48, 8)
        first, second = self.lstm
        state1 = state2 = None  # zeros
        for inputs in x.unbind(axis=1):
            _, state1 = first(inputs, state1)  # output and cell, each (batch, 64)
            _, state2 = second(state1[0], state2)
        return self.head(state2[0])  # (batch, 1)


loss = F.mse_loss

OPTIMIZERS = {
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
