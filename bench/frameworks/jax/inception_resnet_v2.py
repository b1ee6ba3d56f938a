import jax.numpy as jnp
import optax
from flax import nnx


class ConvNorm(nnx.Module):
    def __init__(self, inputs, outputs, size, strides=1, padding="SAME", *, rngs):
        self.conv = nnx.Conv(inputs, outputs, size, strides=strides, padding=padding, use_bias=False, rngs=rngs)
        self.norm = nnx.BatchNorm(outputs, momentum=0.99, epsilon=1e-3, use_scale=False, rngs=rngs)

    def __call__(self, x):
        return nnx.relu(self.norm(self.conv(x)))


def max_pool(x):
    return nnx.max_pool(x, (3, 3), strides=(2, 2))


class Mixed5b(nnx.Module):
    def __init__(self, *, rngs):
        self.branch1x1 = ConvNorm(192, 96, (1, 1), rngs=rngs)
        self.branch5x5 = nnx.Sequential(
            ConvNorm(192, 48, (1, 1), rngs=rngs),
            ConvNorm(48, 64, (5, 5), rngs=rngs),
        )
        self.branch3x3dbl = nnx.Sequential(
            ConvNorm(192, 64, (1, 1), rngs=rngs),
            ConvNorm(64, 96, (3, 3), rngs=rngs),
            ConvNorm(96, 96, (3, 3), rngs=rngs),
        )
        self.branch_pool = ConvNorm(192, 64, (1, 1), rngs=rngs)

    def __call__(self, x):
        pooled = self.branch_pool(nnx.avg_pool(x, (3, 3), padding="SAME", count_include_pad=False))
        return jnp.concatenate([self.branch1x1(x), self.branch5x5(x), self.branch3x3dbl(x), pooled], axis=-1)


class Block35(nnx.Module):
    def __init__(self, *, rngs):
        self.branch1x1 = ConvNorm(320, 32, (1, 1), rngs=rngs)
        self.branch3x3 = nnx.Sequential(
            ConvNorm(320, 32, (1, 1), rngs=rngs),
            ConvNorm(32, 32, (3, 3), rngs=rngs),
        )
        self.branch3x3dbl = nnx.Sequential(
            ConvNorm(320, 32, (1, 1), rngs=rngs),
            ConvNorm(32, 48, (3, 3), rngs=rngs),
            ConvNorm(48, 64, (3, 3), rngs=rngs),
        )
        self.up = nnx.Conv(128, 320, (1, 1), rngs=rngs)

    def __call__(self, x):
        mixed = jnp.concatenate([self.branch1x1(x), self.branch3x3(x), self.branch3x3dbl(x)], axis=-1)
        return nnx.relu(x + 0.17 * self.up(mixed))


class Mixed6a(nnx.Module):
    def __init__(self, *, rngs):
        self.branch3x3 = ConvNorm(320, 384, (3, 3), strides=2, padding="VALID", rngs=rngs)
        self.branch3x3dbl = nnx.Sequential(
            ConvNorm(320, 256, (1, 1), rngs=rngs),
            ConvNorm(256, 256, (3, 3), rngs=rngs),
            ConvNorm(256, 384, (3, 3), strides=2, padding="VALID", rngs=rngs),
        )

    def __call__(self, x):
        return jnp.concatenate([self.branch3x3(x), self.branch3x3dbl(x), max_pool(x)], axis=-1)


class Block17(nnx.Module):
    def __init__(self, *, rngs):
        self.branch1x1 = ConvNorm(1088, 192, (1, 1), rngs=rngs)
        self.branch7x7 = nnx.Sequential(
            ConvNorm(1088, 128, (1, 1), rngs=rngs),
            ConvNorm(128, 160, (1, 7), rngs=rngs),
            ConvNorm(160, 192, (7, 1), rngs=rngs),
        )
        self.up = nnx.Conv(384, 1088, (1, 1), rngs=rngs)

    def __call__(self, x):
        mixed = jnp.concatenate([self.branch1x1(x), self.branch7x7(x)], axis=-1)
        return nnx.relu(x + 0.1 * self.up(mixed))


class Mixed7a(nnx.Module):
    def __init__(self, *, rngs):
        self.branch3x3a = nnx.Sequential(
            ConvNorm(1088, 256, (1, 1), rngs=rngs),
            ConvNorm(256, 384, (3, 3), strides=2, padding="VALID", rngs=rngs),
        )
        self.branch3x3b = nnx.Sequential(
            ConvNorm(1088, 256, (1, 1), rngs=rngs),
            ConvNorm(256, 288, (3, 3), strides=2, padding="VALID", rngs=rngs),
        )
        self.branch3x3dbl = nnx.Sequential(
            ConvNorm(1088, 256, (1, 1), rngs=rngs),
            ConvNorm(256, 288, (3, 3), rngs=rngs),
            ConvNorm(288, 320, (3, 3), strides=2, padding="VALID", rngs=rngs),
        )

    def __call__(self, x):
        branches = [self.branch3x3a(x), self.branch3x3b(x), self.branch3x3dbl(x), max_pool(x)]
        return jnp.concatenate(branches, axis=-1)


class Block8(nnx.Module):
    def __init__(self, scale=0.2, activation=nnx.relu, *, rngs):
        self.branch1x1 = ConvNorm(2080, 192, (1, 1), rngs=rngs)
        self.branch3x3 = nnx.Sequential(
            ConvNorm(2080, 192, (1, 1), rngs=rngs),
            ConvNorm(192, 224, (1, 3), rngs=rngs),
            ConvNorm(224, 256, (3, 1), rngs=rngs),
        )
        self.up = nnx.Conv(448, 2080, (1, 1), rngs=rngs)
        self.scale = scale
        self.activation = activation

    def __call__(self, x):
        mixed = jnp.concatenate([self.branch1x1(x), self.branch3x3(x)], axis=-1)
        return self.activation(x + self.scale * self.up(mixed))


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.stem1 = ConvNorm(3, 32, (3, 3), strides=2, padding="VALID", rngs=rngs)
        self.stem2 = ConvNorm(32, 32, (3, 3), padding="VALID", rngs=rngs)
        self.stem3 = ConvNorm(32, 64, (3, 3), rngs=rngs)
        self.stem4 = ConvNorm(64, 80, (1, 1), rngs=rngs)
        self.stem5 = ConvNorm(80, 192, (3, 3), padding="VALID", rngs=rngs)
        self.mixed_5b = Mixed5b(rngs=rngs)
        self.block35 = nnx.Sequential(*(Block35(rngs=rngs) for _ in range(10)))
        self.mixed_6a = Mixed6a(rngs=rngs)
        self.block17 = nnx.Sequential(*(Block17(rngs=rngs) for _ in range(20)))
        self.mixed_7a = Mixed7a(rngs=rngs)
        self.block8 = nnx.Sequential(
            *(Block8(rngs=rngs) for _ in range(9)),
            Block8(scale=1.0, activation=nnx.identity, rngs=rngs),
        )
        self.conv_7b = ConvNorm(2080, 1536, (1, 1), rngs=rngs)
        self.head = nnx.Linear(1536, 120, rngs=rngs)

    def __call__(self, x):  # (batch, 224, 224, 3)
        x = self.stem3(self.stem2(self.stem1(x)))
        x = self.stem5(self.stem4(max_pool(x)))
        x = self.mixed_5b(max_pool(x))
        x = self.block35(x)  # (batch, 25, 25, 320)
        x = self.mixed_6a(x)
        x = self.block17(x)  # (batch, 12, 12, 1088)
        x = self.mixed_7a(x)
        x = self.block8(x)  # (batch, 5, 5, 2080)
        x = self.conv_7b(x)
        x = x.mean(axis=(1, 2))
        return self.head(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
