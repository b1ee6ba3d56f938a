import optax
from flax import linen as nn


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 224, 224, 3)
        depths = 2, 2, 3, 3, 3
        for block, (channels, depth) in enumerate(zip((64, 128, 256, 512, 512), depths), start=1):
            for index in range(depth):
                conv = nn.Conv(channels, (3, 3), padding="SAME", name="block%d_%d" % (block, index))
                x = nn.relu(conv(x))
            x = nn.max_pool(x, (2, 2), strides=(2, 2))
        x = x.reshape((x.shape[0], -1))  # (batch, 25088), from (batch, 7, 7, 512)
        x = nn.relu(nn.Dense(4096, name="hidden1")(x))
        x = nn.relu(nn.Dense(4096, name="hidden2")(x))
        return nn.Dense(120, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
