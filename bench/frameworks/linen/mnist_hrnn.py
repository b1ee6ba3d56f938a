import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 28, 28, 1)
        row_lstm = nn.RNN(nn.OptimizedLSTMCell(128, name="row_lstm"), return_carry=True)
        column_lstm = nn.RNN(nn.OptimizedLSTMCell(128, name="column_lstm"), return_carry=True)
        (_, rows), _ = row_lstm(x)  # (batch, 28, 128): batch and rows are both batch dimensions
        (_, last), _ = column_lstm(rows)  # (batch, 128): the last output
        return nn.Dense(10, name="head")(last)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "rmsprop": lambda: optax.rmsprop(1e-3, decay=0.9, eps=1e-8, eps_in_sqrt=False),
}
