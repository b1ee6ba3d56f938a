import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.lstm = nnx.Sequential(
            nnx.RNN(nnx.OptimizedLSTMCell(8, 64, rngs=rngs), rngs=rngs),
            nnx.RNN(nnx.OptimizedLSTMCell(64, 64, rngs=rngs), rngs=rngs),
        )
        self.head = nnx.Linear(64, 1, rngs=rngs)

    def __call__(self, x):  # (batch, 48, 8)
        outputs = self.lstm(x)  # (batch, 48, 64)
        return self.head(outputs[:, -1])  # (batch, 1)


def loss(outputs, y):
    return optax.squared_error(outputs, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
