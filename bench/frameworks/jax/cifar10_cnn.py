import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.conv1 = nnx.Conv(3, 50, (3, 3), padding="SAME", rngs=rngs)
        self.conv2 = nnx.Conv(50, 50, (3, 3), padding="SAME", rngs=rngs)
        self.dropout1 = nnx.Dropout(0.25, rngs=rngs)
        self.conv3 = nnx.Conv(50, 100, (3, 3), padding="SAME", rngs=rngs)
        self.conv4 = nnx.Conv(100, 100, (3, 3), padding="SAME", rngs=rngs)
        self.dropout2 = nnx.Dropout(0.25, rngs=rngs)
        self.hidden = nnx.Linear(8 * 8 * 100, 512, rngs=rngs)
        self.dropout3 = nnx.Dropout(0.5, rngs=rngs)
        self.head = nnx.Linear(512, 10, rngs=rngs)

    def __call__(self, x):  # (batch, 32, 32, 3)
        x = nnx.relu(self.conv1(x))
        x = nnx.relu(self.conv2(x))
        x = self.dropout1(nnx.max_pool(x, (2, 2), strides=(2, 2)))  # (batch, 16, 16, 50)
        x = nnx.relu(self.conv3(x))
        x = nnx.relu(self.conv4(x))
        x = self.dropout2(nnx.max_pool(x, (2, 2), strides=(2, 2)))  # (batch, 8, 8, 100)
        x = x.reshape(x.shape[0], -1)
        x = self.dropout3(nnx.relu(self.hidden(x)))
        return self.head(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
}
