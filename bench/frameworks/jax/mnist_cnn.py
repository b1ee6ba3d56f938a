import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.conv1 = nnx.Conv(1, 32, (3, 3), padding="VALID", rngs=rngs)
        self.conv2 = nnx.Conv(32, 64, (3, 3), padding="VALID", rngs=rngs)
        self.dropout1 = nnx.Dropout(0.25, rngs=rngs)
        self.hidden = nnx.Linear(12 * 12 * 64, 128, rngs=rngs)
        self.dropout2 = nnx.Dropout(0.5, rngs=rngs)
        self.head = nnx.Linear(128, 10, rngs=rngs)

    def __call__(self, x):  # (batch, 28, 28, 1)
        x = nnx.relu(self.conv1(x))
        x = nnx.relu(self.conv2(x))  # (batch, 24, 24, 64)
        x = self.dropout1(nnx.max_pool(x, (2, 2), strides=(2, 2)))  # (batch, 12, 12, 64)
        x = x.reshape(x.shape[0], -1)
        x = self.dropout2(nnx.relu(self.hidden(x)))
        return self.head(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adadelta": lambda: optax.adadelta(1.0, rho=0.95, eps=1e-8),
}
