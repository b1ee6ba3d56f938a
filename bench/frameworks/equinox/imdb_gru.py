import equinox as eqx
import jax
import jax.numpy as jnp
import optax


class GRUCell(eqx.Module):
    """Equinox' cell, with a whole recurrent bias as in Keras, PyTorch and cuDNN, and gates in the order z, r, h."""

    weight_ih: jax.Array
    weight_hh: jax.Array
    bias: jax.Array
    bias_hh: jax.Array

    def __init__(self, inputs, units, *, key):
        shapes = (3 * units, inputs), (3 * units, units), (3 * units,), (3 * units,)
        limit = units**-0.5  # as Equinox starts its own
        self.weight_ih, self.weight_hh, self.bias, self.bias_hh = (
            jax.random.uniform(part, shape, minval=-limit, maxval=limit)
            for part, shape in zip(jax.random.split(key, 4), shapes)
        )

    def __call__(self, x, hidden):
        from_input = jnp.split(self.weight_ih @ x + self.bias, 3)
        from_hidden = jnp.split(self.weight_hh @ hidden + self.bias_hh, 3)
        update = jax.nn.sigmoid(from_input[0] + from_hidden[0])
        reset = jax.nn.sigmoid(from_input[1] + from_hidden[1])
        new = jnp.tanh(from_input[2] + reset * from_hidden[2])
        return new + update * (hidden - new)


class Model(eqx.Module):
    embedding: eqx.nn.Embedding
    gru: GRUCell
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.embedding = eqx.nn.Embedding(30_000, 125, key=keys[0])
        self.gru = GRUCell(125, 100, key=keys[1])
        self.head = eqx.nn.Linear(100, 2, key=keys[2])

    def __call__(self, x, state, key):  # (150,): one example, of a batch by jax.vmap
        x = jax.vmap(self.embedding)(x)  # (150, 125)
        last, _ = jax.lax.scan(lambda hidden, word: (self.gru(word, hidden), None), jnp.zeros(100), x)
        return self.head(last), state


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
