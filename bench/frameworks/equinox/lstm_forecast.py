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
        for cell in self.lstm:
            x = scan(cell, x)  # (48, 64)
        return self.head(x[-1]), state  # (1,)


def scan(cell, x):
    """Return the output of an LSTM at each step."""

    def step(carry, x):
        hidden, memory = cell(x, carry)
        return (hidden, memory), hidden

    zeros = jnp.zeros(cell.hidden_size)
    _, outputs = jax.lax.scan(step, (zeros, zeros), x)
    return outputs


def loss(outputs, y):
    return optax.squared_error(outputs, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
