import equinox as eqx
import jax
import optax


class Model(eqx.Module):
    conv1: eqx.nn.Conv2d
    conv2: eqx.nn.Conv2d
    pool: eqx.nn.MaxPool2d
    dropout1: eqx.nn.Dropout
    hidden: eqx.nn.Linear
    dropout2: eqx.nn.Dropout
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 4)
        self.conv1 = eqx.nn.Conv2d(1, 32, 3, key=keys[0])
        self.conv2 = eqx.nn.Conv2d(32, 64, 3, key=keys[1])
        self.pool = eqx.nn.MaxPool2d(2, stride=2)
        self.dropout1 = eqx.nn.Dropout(0.25)
        self.hidden = eqx.nn.Linear(64 * 12 * 12, 128, key=keys[2])
        self.dropout2 = eqx.nn.Dropout(0.5)
        self.head = eqx.nn.Linear(128, 10, key=keys[3])

    def __call__(self, x, state, key):  # (1, 28, 28): one example, of a batch by jax.vmap
        keys = jax.random.split(key, 2)
        x = jax.nn.relu(self.conv1(x))
        x = jax.nn.relu(self.conv2(x))  # (64, 24, 24)
        x = self.dropout1(self.pool(x), key=keys[0])  # (64, 12, 12)
        x = self.dropout2(jax.nn.relu(self.hidden(x.ravel())), key=keys[1])
        return self.head(x), state


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adadelta": lambda: optax.adadelta(1.0, rho=0.95, eps=1e-8),
}
