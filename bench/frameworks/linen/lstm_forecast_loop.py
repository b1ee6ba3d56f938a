import jax.numpy as jnp
import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 48, 8)
        first = nn.OptimizedLSTMCell(64, name="lstm_0")
        second = nn.OptimizedLSTMCell(64, name="lstm_1")
        zeros = jnp.zeros((x.shape[0], 64))
        carry1 = carry2 = (zeros, zeros)
        for step in range(x.shape[1]):
            carry1, output = first(carry1, x[:, step])
            carry2, output = second(carry2, output)
        return nn.Dense(1, name="head")(output)  # (batch, 1)


def loss(outputs, y):
    return optax.squared_error(outputs, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
