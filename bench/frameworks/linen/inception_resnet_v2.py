from typing import Callable

import jax.numpy as jnp
import optax
from flax import linen as nn


class ConvNorm(nn.Module):
    outputs: int
    size: tuple
    strides: int = 1
    padding: str = "SAME"

    @nn.compact
    def __call__(self, x, train):
        conv = nn.Conv(self.outputs, self.size, self.strides, self.padding, use_bias=False, name="conv")
        norm = nn.BatchNorm(not train, momentum=0.99, epsilon=1e-3, use_scale=False, name="norm")
        return nn.relu(norm(conv(x)))


def chain(x, train, name, *convs):
    for index, conv in enumerate(convs):
        x = ConvNorm(*conv, name="%s_%d" % (name, index))(x, train)
    return x


def max_pool(x):
    return nn.max_pool(x, (3, 3), strides=(2, 2))


def add_mixed(x, scale, branches):
    """Return the sum of x and its branches, which a 1x1 convolution makes as wide as x."""
    mixed = jnp.concatenate(branches, axis=-1)
    return x + scale * nn.Conv(x.shape[-1], (1, 1), name="up")(mixed)


class Mixed5b(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        single = ConvNorm(96, (1, 1), name="branch1x1")(x, train)
        five = chain(x, train, "branch5x5", (48, (1, 1)), (64, (5, 5)))
        double = chain(x, train, "branch3x3dbl", (64, (1, 1)), (96, (3, 3)), (96, (3, 3)))
        pooled = nn.avg_pool(x, (3, 3), padding="SAME", count_include_pad=False)
        pooled = ConvNorm(64, (1, 1), name="branch_pool")(pooled, train)
        return jnp.concatenate([single, five, double, pooled], axis=-1)


class Block35(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        single = ConvNorm(32, (1, 1), name="branch1x1")(x, train)
        three = chain(x, train, "branch3x3", (32, (1, 1)), (32, (3, 3)))
        double = chain(x, train, "branch3x3dbl", (32, (1, 1)), (48, (3, 3)), (64, (3, 3)))
        return nn.relu(add_mixed(x, 0.17, [single, three, double]))


class Mixed6a(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        three = ConvNorm(384, (3, 3), 2, "VALID", name="branch3x3")(x, train)
        double = chain(x, train, "branch3x3dbl", (256, (1, 1)), (256, (3, 3)), (384, (3, 3), 2, "VALID"))
        return jnp.concatenate([three, double, max_pool(x)], axis=-1)


class Block17(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        single = ConvNorm(192, (1, 1), name="branch1x1")(x, train)
        seven = chain(x, train, "branch7x7", (128, (1, 1)), (160, (1, 7)), (192, (7, 1)))
        return nn.relu(add_mixed(x, 0.1, [single, seven]))


class Mixed7a(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        last = (3, 3), 2, "VALID"
        first = chain(x, train, "branch3x3a", (256, (1, 1)), (384, *last))
        second = chain(x, train, "branch3x3b", (256, (1, 1)), (288, *last))
        double = chain(x, train, "branch3x3dbl", (256, (1, 1)), (288, (3, 3)), (320, *last))
        return jnp.concatenate([first, second, double, max_pool(x)], axis=-1)


class Block8(nn.Module):
    scale: float = 0.2
    activation: Callable = nn.relu

    @nn.compact
    def __call__(self, x, train):
        single = ConvNorm(192, (1, 1), name="branch1x1")(x, train)
        three = chain(x, train, "branch3x3", (192, (1, 1)), (224, (1, 3)), (256, (3, 1)))
        return self.activation(add_mixed(x, self.scale, [single, three]))


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 224, 224, 3)
        x = ConvNorm(32, (3, 3), 2, "VALID", name="stem1")(x, train)
        x = ConvNorm(32, (3, 3), 1, "VALID", name="stem2")(x, train)
        x = ConvNorm(64, (3, 3), name="stem3")(x, train)
        x = max_pool(x)
        x = ConvNorm(80, (1, 1), name="stem4")(x, train)
        x = ConvNorm(192, (3, 3), 1, "VALID", name="stem5")(x, train)
        x = Mixed5b(name="mixed_5b")(max_pool(x), train)
        for index in range(10):  # (batch, 25, 25, 320)
            x = Block35(name="block35_%d" % index)(x, train)
        x = Mixed6a(name="mixed_6a")(x, train)
        for index in range(20):  # (batch, 12, 12, 1088)
            x = Block17(name="block17_%d" % index)(x, train)
        x = Mixed7a(name="mixed_7a")(x, train)
        for index in range(9):  # (batch, 5, 5, 2080)
            x = Block8(name="block8_%d" % index)(x, train)
        x = Block8(scale=1.0, activation=lambda x: x, name="block8_9")(x, train)
        x = ConvNorm(1536, (1, 1), name="conv_7b")(x, train)
        x = x.mean(axis=(1, 2))
        return nn.Dense(120, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
