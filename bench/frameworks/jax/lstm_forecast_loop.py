import jax.numpy as jnp
import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.lstm = nnx.List([nnx.OptimizedLSTMCell(8, 64, rngs=rngs), nnx.OptimizedLSTMCell(64, 64, rngs=rngs)])
        self.head = nnx.Linear(64, 1, rngs=rngs)

    def __call__(self, x):  # (batch, 48, 8)
        first, second = self.lstm
        zeros = jnp.zeros((x.shape[0], 64))
        carry1 = carry2 = (zeros, zeros)
        for step in range(x.shape[1]):
            carry1, output = first(carry1, x[:, step])
            carry2, output = second(carry2, output)
        return self.head(output)  # (batch, 1)


def loss(outputs, y):
    return optax.squared_error(outputs, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
