import equinox as eqx
import jax
import optax


class Model(eqx.Module):
    hidden: eqx.nn.Linear
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 2)
        self.hidden = eqx.nn.Linear(100, 128, key=keys[0])
        self.head = eqx.nn.Linear(128, 10, key=keys[1])

    def __call__(self, x, state, key):  # (100,): one example, of a batch by jax.vmap
        return self.head(jax.nn.relu(self.hidden(x))), state


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
