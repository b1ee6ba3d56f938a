import equinox as eqx
import jax
import optax


class Model(eqx.Module):
    conv1: eqx.nn.Conv2d
    conv2: eqx.nn.Conv2d
    dropout1: eqx.nn.Dropout
    conv3: eqx.nn.Conv2d
    conv4: eqx.nn.Conv2d
    dropout2: eqx.nn.Dropout
    pool: eqx.nn.MaxPool2d
    hidden: eqx.nn.Linear
    dropout3: eqx.nn.Dropout
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 6)
        self.conv1 = eqx.nn.Conv2d(3, 50, 3, padding=1, key=keys[0])
        self.conv2 = eqx.nn.Conv2d(50, 50, 3, padding=1, key=keys[1])
        self.dropout1 = eqx.nn.Dropout(0.25)
        self.conv3 = eqx.nn.Conv2d(50, 100, 3, padding=1, key=keys[2])
        self.conv4 = eqx.nn.Conv2d(100, 100, 3, padding=1, key=keys[3])
        self.dropout2 = eqx.nn.Dropout(0.25)
        self.pool = eqx.nn.MaxPool2d(2, stride=2)
        self.hidden = eqx.nn.Linear(100 * 8 * 8, 512, key=keys[4])
        self.dropout3 = eqx.nn.Dropout(0.5)
        self.head = eqx.nn.Linear(512, 10, key=keys[5])

    def __call__(self, x, state, key):  # (3, 32, 32): one example, of a batch by jax.vmap
        keys = jax.random.split(key, 3)
        x = jax.nn.relu(self.conv1(x))
        x = jax.nn.relu(self.conv2(x))
        x = self.dropout1(self.pool(x), key=keys[0])  # (50, 16, 16)
        x = jax.nn.relu(self.conv3(x))
        x = jax.nn.relu(self.conv4(x))
        x = self.dropout2(self.pool(x), key=keys[1])  # (100, 8, 8)
        x = self.dropout3(jax.nn.relu(self.hidden(x.ravel())), key=keys[2])
        return self.head(x), state


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
}
