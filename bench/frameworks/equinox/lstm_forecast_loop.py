import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Model(eqx.Module):
    lstm: list
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.lstm = [eqx.nn.LSTMCell(8, 64, key=keys[0]), eqx.nn.LSTMCell(64, 64, key=keys[1])]
        self.head = eqx.nn.Linear(64, 1, key=keys[2])

    def __call__(self, x, state, key):  # (48, 8): one example, of a batch by jax.vmap
        first, second = self.lstm
        zeros = jnp.zeros(64)
        carry1 = carry2 = (zeros, zeros)
        for step in range(x.shape[0]):
            carry1 = first(x[step], carry1)
            carry2 = second(carry1[0], carry2)
        return self.head(carry2[0]), state  # (1,)


def loss(outputs, y):
    return optax.squared_error(outputs, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
