import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 32, 32, 3)
        x = nn.relu(nn.Conv(50, (3, 3), padding="SAME", name="conv1")(x))
        x = nn.relu(nn.Conv(50, (3, 3), padding="SAME", name="conv2")(x))
        x = nn.max_pool(x, (2, 2), strides=(2, 2))  # (batch, 16, 16, 50)
        x = nn.Dropout(0.25, deterministic=not train)(x)
        x = nn.relu(nn.Conv(100, (3, 3), padding="SAME", name="conv3")(x))
        x = nn.relu(nn.Conv(100, (3, 3), padding="SAME", name="conv4")(x))
        x = nn.max_pool(x, (2, 2), strides=(2, 2))  # (batch, 8, 8, 100)
        x = nn.Dropout(0.25, deterministic=not train)(x)
        x = x.reshape((x.shape[0], -1))
        x = nn.relu(nn.Dense(512, name="hidden")(x))
        x = nn.Dropout(0.5, deterministic=not train)(x)
        return nn.Dense(10, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
}
