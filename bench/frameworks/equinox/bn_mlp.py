import equinox as eqx
import jax
import optax


class Model(eqx.Module):
    hidden1: eqx.nn.Linear
    norm1: eqx.nn.BatchNorm
    dropout1: eqx.nn.Dropout
    hidden2: eqx.nn.Linear
    norm2: eqx.nn.BatchNorm
    dropout2: eqx.nn.Dropout
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.hidden1 = eqx.nn.Linear(100, 256, key=keys[0])
        self.norm1 = eqx.nn.BatchNorm(256, axis_name="batch", eps=1e-3, momentum=0.99, mode="batch")
        self.dropout1 = eqx.nn.Dropout(0.5)
        self.hidden2 = eqx.nn.Linear(256, 128, key=keys[1])
        self.norm2 = eqx.nn.BatchNorm(128, axis_name="batch", eps=1e-3, momentum=0.99, mode="batch")
        self.dropout2 = eqx.nn.Dropout(0.5)
        self.head = eqx.nn.Linear(128, 10, key=keys[2])

    def __call__(self, x, state, key):  # (100,): one example, of a batch by jax.vmap
        keys = jax.random.split(key, 2)
        x, state = self.norm1(jax.nn.relu(self.hidden1(x)), state)
        x = self.dropout1(x, key=keys[0])
        x, state = self.norm2(jax.nn.relu(self.hidden2(x)), state)
        x = self.dropout2(x, key=keys[1])
        return self.head(x), state


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
