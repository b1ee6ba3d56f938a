import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.relu(nn.Dense(512, name="hidden1")(x))
        x = nn.Dropout(0.2, deterministic=not train)(x)
        x = nn.relu(nn.Dense(512, name="hidden2")(x))
        x = nn.Dropout(0.2, deterministic=not train)(x)
        return nn.Dense(10, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "rmsprop": lambda: optax.rmsprop(1e-3, decay=0.9, eps=1e-10, eps_in_sqrt=False),
}
