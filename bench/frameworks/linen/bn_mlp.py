import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        for layer, units in ("1", 256), ("2", 128):
            x = nn.relu(nn.Dense(units, name="hidden" + layer)(x))
            x = nn.BatchNorm(use_running_average=not train, momentum=0.99, epsilon=1e-3, name="norm" + layer)(x)
            x = nn.Dropout(0.5, deterministic=not train)(x)
        return nn.Dense(10, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
