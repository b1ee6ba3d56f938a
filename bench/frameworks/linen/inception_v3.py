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


def average_pool(x):
    return nn.avg_pool(x, (3, 3), padding="SAME", count_include_pad=False)


def max_pool(x):
    return nn.max_pool(x, (3, 3), strides=(2, 2))


class InceptionA(nn.Module):
    pooled: int

    @nn.compact
    def __call__(self, x, train):
        single = ConvNorm(64, (1, 1), name="branch1x1")(x, train)
        five = chain(x, train, "branch5x5", (48, (1, 1)), (64, (5, 5)))
        double = chain(x, train, "branch3x3dbl", (64, (1, 1)), (96, (3, 3)), (96, (3, 3)))
        pooled = ConvNorm(self.pooled, (1, 1), name="branch_pool")(average_pool(x), train)
        return jnp.concatenate([single, five, double, pooled], axis=-1)


class ReductionA(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        single = ConvNorm(384, (3, 3), 2, "VALID", name="branch3x3")(x, train)
        double = chain(x, train, "branch3x3dbl", (64, (1, 1)), (96, (3, 3)), (96, (3, 3), 2, "VALID"))
        return jnp.concatenate([single, double, max_pool(x)], axis=-1)


class InceptionB(nn.Module):
    width: int

    @nn.compact
    def __call__(self, x, train):
        width, row, column = self.width, (1, 7), (7, 1)
        convs = (width, (1, 1)), (width, row), (192, column)
        double_convs = (width, (1, 1)), (width, column), (width, row), (width, column), (192, row)
        single = ConvNorm(192, (1, 1), name="branch1x1")(x, train)
        seven = chain(x, train, "branch7x7", *convs)
        double = chain(x, train, "branch7x7dbl", *double_convs)
        pooled = ConvNorm(192, (1, 1), name="branch_pool")(average_pool(x), train)
        return jnp.concatenate([single, seven, double, pooled], axis=-1)


class ReductionB(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        last = (3, 3), 2, "VALID"
        three = chain(x, train, "branch3x3", (192, (1, 1)), (320, *last))
        seven = chain(x, train, "branch7x7x3", (192, (1, 1)), (192, (1, 7)), (192, (7, 1)), (192, *last))
        return jnp.concatenate([three, seven, max_pool(x)], axis=-1)


class InceptionC(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        single = ConvNorm(384, (1, 1), name="branch3x3")(x, train)
        double = chain(x, train, "branch3x3dbl", (448, (1, 1)), (384, (3, 3)))
        branches = [
            ConvNorm(320, (1, 1), name="branch1x1")(x, train),
            ConvNorm(384, (1, 3), name="branch3x3_row")(single, train),
            ConvNorm(384, (3, 1), name="branch3x3_column")(single, train),
            ConvNorm(384, (1, 3), name="branch3x3dbl_row")(double, train),
            ConvNorm(384, (3, 1), name="branch3x3dbl_column")(double, train),
            ConvNorm(192, (1, 1), name="branch_pool")(average_pool(x), train),
        ]
        return jnp.concatenate(branches, axis=-1)


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 224, 224, 3)
        x = ConvNorm(32, (3, 3), 2, "VALID", name="stem1")(x, train)
        x = ConvNorm(32, (3, 3), 1, "VALID", name="stem2")(x, train)
        x = ConvNorm(64, (3, 3), name="stem3")(x, train)
        x = max_pool(x)
        x = ConvNorm(80, (1, 1), name="stem4")(x, train)
        x = ConvNorm(192, (3, 3), 1, "VALID", name="stem5")(x, train)
        x = max_pool(x)  # (batch, 25, 25, 192)
        x = InceptionA(32, name="mixed0")(x, train)
        x = InceptionA(64, name="mixed1")(x, train)
        x = InceptionA(64, name="mixed2")(x, train)
        x = ReductionA(name="mixed3")(x, train)  # (batch, 12, 12, 768)
        x = InceptionB(128, name="mixed4")(x, train)
        x = InceptionB(160, name="mixed5")(x, train)
        x = InceptionB(160, name="mixed6")(x, train)
        x = InceptionB(192, name="mixed7")(x, train)
        x = ReductionB(name="mixed8")(x, train)  # (batch, 5, 5, 1280)
        x = InceptionC(name="mixed9")(x, train)
        x = InceptionC(name="mixed10")(x, train)  # (batch, 5, 5, 2048)
        x = x.mean(axis=(1, 2))
        return nn.Dense(120, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
