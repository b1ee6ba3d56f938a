from functools import partial

import jax.numpy as jnp
import optax
from flax import linen as nn

GROWTH = 32


def batch_norm(train):
    return partial(nn.BatchNorm, use_running_average=not train, momentum=0.99, epsilon=1.001e-5)


class DenseLayer(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        norm = batch_norm(train)
        new = nn.relu(norm(name="norm1")(x))
        new = nn.Conv(4 * GROWTH, (1, 1), use_bias=False, name="conv1")(new)
        new = nn.relu(norm(name="norm2")(new))
        new = nn.Conv(GROWTH, (3, 3), padding="SAME", use_bias=False, name="conv2")(new)
        return jnp.concatenate([x, new], axis=-1)


class Transition(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        channels = x.shape[-1] // 2
        x = nn.relu(batch_norm(train)(name="norm")(x))
        x = nn.Conv(channels, (1, 1), use_bias=False, name="conv")(x)
        return nn.avg_pool(x, (2, 2), strides=(2, 2))


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 224, 224, 3)
        norm = batch_norm(train)
        x = nn.Conv(64, (7, 7), strides=2, padding=3, use_bias=False, name="conv")(x)
        x = nn.relu(norm(name="norm")(x))
        x = nn.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))  # (batch, 56, 56, 64)
        for block, depth in enumerate((6, 12, 24, 16), start=1):
            for index in range(depth):
                x = DenseLayer(name="block%d_%d" % (block, index))(x, train)
            if block < 4:
                x = Transition(name="transition%d" % block)(x, train)
        x = nn.relu(norm(name="final_norm")(x))  # (batch, 7, 7, 1024)
        x = x.mean(axis=(1, 2))
        return nn.Dense(14, name="head")(x)


def loss(logits, y):
    return optax.sigmoid_binary_cross_entropy(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
