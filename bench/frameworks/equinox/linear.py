import equinox as eqx
import jax
import optax


class Model(eqx.Module):
    hidden: eqx.nn.Linear
    head: eqx.nn.Linear

    def __init__(self, *, key):
        first, second = jax.random.split(key)
        self.hidden = eqx.nn.Linear(100, 128, key=first)
        self.head = eqx.nn.Linear(128, 10, key=second)

    def __call__(self, x):
        return self.head(jax.nn.relu(self.hidden(x)))


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
