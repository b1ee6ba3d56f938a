import equinox as eqx
import jax
import optax


class Model(eqx.Module):
    hidden1: eqx.nn.Linear
    dropout1: eqx.nn.Dropout
    hidden2: eqx.nn.Linear
    dropout2: eqx.nn.Dropout
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.hidden1 = eqx.nn.Linear(784, 512, key=keys[0])
        self.dropout1 = eqx.nn.Dropout(0.2)
        self.hidden2 = eqx.nn.Linear(512, 512, key=keys[1])
        self.dropout2 = eqx.nn.Dropout(0.2)
        self.head = eqx.nn.Linear(512, 10, key=keys[2])

    def __call__(self, x, state, key):  # (784,): one example, of a batch by jax.vmap
        key1, key2 = jax.random.split(key, 2)
        x = self.dropout1(jax.nn.relu(self.hidden1(x)), key=key1)
        x = self.dropout2(jax.nn.relu(self.hidden2(x)), key=key2)
        return self.head(x), state


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "rmsprop": lambda: optax.rmsprop(1e-3, decay=0.9, eps=1e-10, eps_in_sqrt=False),
}
