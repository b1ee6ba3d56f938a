import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 48, 8)
        x = nn.RNN(nn.OptimizedLSTMCell(64, name="lstm_0"))(x)
        x = nn.RNN(nn.OptimizedLSTMCell(64, name="lstm_1"))(x)  # (batch, 48, 64)
        return nn.Dense(1, name="head")(x[:, -1])  # (batch, 1)


def loss(outputs, y):
    return optax.squared_error(outputs, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
