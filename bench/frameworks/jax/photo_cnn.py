import optax
from flax import nnx


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.conv1 = nnx.Conv(3, 16, (8, 8), strides=4, padding="VALID", rngs=rngs)
        self.conv2 = nnx.Conv(16, 32, (3, 3), padding="VALID", rngs=rngs)
        self.conv3 = nnx.Conv(32, 64, (3, 3), padding="VALID", rngs=rngs)
        self.head = nnx.Linear(7 * 7 * 64, 8, rngs=rngs)

    def __call__(self, x):  # (batch, 300, 300, 3)
        x = nnx.max_pool(nnx.relu(self.conv1(x)), (2, 2), strides=(2, 2))  # (batch, 37, 37, 16)
        x = nnx.max_pool(nnx.relu(self.conv2(x)), (2, 2), strides=(2, 2))  # (batch, 17, 17, 32)
        x = nnx.max_pool(nnx.relu(self.conv3(x)), (2, 2), strides=(2, 2))  # (batch, 7, 7, 64)
        return self.head(x.reshape(x.shape[0], -1))


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
}
