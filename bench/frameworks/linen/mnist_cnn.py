import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 28, 28, 1)
        x = nn.relu(nn.Conv(32, (3, 3), padding="VALID", name="conv1")(x))
        x = nn.relu(nn.Conv(64, (3, 3), padding="VALID", name="conv2")(x))  # (batch, 24, 24, 64)
        x = nn.max_pool(x, (2, 2), strides=(2, 2))  # (batch, 12, 12, 64)
        x = nn.Dropout(0.25, deterministic=not train)(x)
        x = x.reshape((x.shape[0], -1))
        x = nn.relu(nn.Dense(128, name="hidden")(x))
        x = nn.Dropout(0.5, deterministic=not train)(x)
        return nn.Dense(10, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adadelta": lambda: optax.adadelta(1.0, rho=0.95, eps=1e-8),
}
