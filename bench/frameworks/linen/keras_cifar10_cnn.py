import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 32, 32, 3)
        x = nn.relu(nn.Conv(32, (3, 3), padding="SAME", name="conv1")(x))
        x = nn.relu(nn.Conv(32, (3, 3), padding="VALID", name="conv2")(x))  # (batch, 30, 30, 32)
        x = nn.max_pool(x, (2, 2), strides=(2, 2))  # (batch, 15, 15, 32)
        x = nn.Dropout(0.25, deterministic=not train)(x)
        x = nn.relu(nn.Conv(64, (3, 3), padding="SAME", name="conv3")(x))
        x = nn.relu(nn.Conv(64, (3, 3), padding="VALID", name="conv4")(x))  # (batch, 13, 13, 64)
        x = nn.max_pool(x, (2, 2), strides=(2, 2))  # (batch, 6, 6, 64)
        x = nn.Dropout(0.25, deterministic=not train)(x)
        x = x.reshape((x.shape[0], -1))
        x = nn.relu(nn.Dense(512, name="hidden")(x))
        x = nn.Dropout(0.5, deterministic=not train)(x)
        return nn.Dense(10, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "rmsprop": lambda: optax.rmsprop(1e-4, decay=0.9, eps=1e-10, eps_in_sqrt=False),
}
