import jax.numpy as jnp
import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.hidden1 = nnx.Linear(32, 64, rngs=rngs)
        self.hidden2 = nnx.Linear(64, 64, rngs=rngs)
        self.hidden3 = nnx.Linear(64, 64, rngs=rngs)
        self.head = nnx.Linear(64, 4, rngs=rngs)

    def __call__(self, x):
        for layer in (self.hidden1, self.hidden2, self.hidden3):
            x = jnp.tanh(layer(x))
        return self.head(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
}
