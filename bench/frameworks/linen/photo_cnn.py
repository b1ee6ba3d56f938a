import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 300, 300, 3)
        x = nn.relu(nn.Conv(16, (8, 8), strides=4, padding="VALID", name="conv1")(x))
        x = nn.max_pool(x, (2, 2), strides=(2, 2))  # (batch, 37, 37, 16)
        x = nn.relu(nn.Conv(32, (3, 3), padding="VALID", name="conv2")(x))
        x = nn.max_pool(x, (2, 2), strides=(2, 2))  # (batch, 17, 17, 32)
        x = nn.relu(nn.Conv(64, (3, 3), padding="VALID", name="conv3")(x))
        x = nn.max_pool(x, (2, 2), strides=(2, 2))  # (batch, 7, 7, 64)
        return nn.Dense(8, name="head")(x.reshape((x.shape[0], -1)))


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
}
