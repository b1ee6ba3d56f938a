import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.row_lstm = nnx.RNN(nnx.OptimizedLSTMCell(1, 128, rngs=rngs), rngs=rngs)
        self.column_lstm = nnx.RNN(nnx.OptimizedLSTMCell(128, 128, rngs=rngs), rngs=rngs)
        self.head = nnx.Linear(128, 10, rngs=rngs)

    def __call__(self, x):  # (batch, 28, 28, 1)
        (_, rows), _ = self.row_lstm(x, return_carry=True)  # (batch, 28, 128): batch and rows are both batch dimensions
        (_, last), _ = self.column_lstm(rows, return_carry=True)  # (batch, 128): the last output
        return self.head(last)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "rmsprop": lambda: optax.rmsprop(1e-3, decay=0.9, eps=1e-8, eps_in_sqrt=False),
}
