import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class Model(eqx.Module):
    row_lstm: eqx.nn.LSTMCell
    column_lstm: eqx.nn.LSTMCell
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.row_lstm = eqx.nn.LSTMCell(1, 128, key=keys[0])
        self.column_lstm = eqx.nn.LSTMCell(128, 128, key=keys[1])
        self.head = eqx.nn.Linear(128, 10, key=keys[2])

    def __call__(self, x, state, key):  # (1, 28, 28): one example, of a batch by jax.vmap
        pixels = x[0, :, :, None]  # (28, 28, 1): each row is a sequence of pixels
        rows = jax.vmap(lambda row: last_output(self.row_lstm, row))(pixels)  # (28, 128)
        return self.head(last_output(self.column_lstm, rows)), state


def last_output(cell, x):
    zeros = jnp.zeros(cell.hidden_size)
    (hidden, _), _ = jax.lax.scan(lambda carry, x: (cell(x, carry), None), (zeros, zeros), x)
    return hidden


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "rmsprop": lambda: optax.rmsprop(1e-3, decay=0.9, eps=1e-8, eps_in_sqrt=False),
}
