import jax.numpy as jnp
import optax
from flax import nnx


class ConvNorm(nnx.Module):
    def __init__(self, inputs, outputs, size, strides=1, padding="SAME", *, rngs):
        self.conv = nnx.Conv(inputs, outputs, size, strides=strides, padding=padding, use_bias=False, rngs=rngs)
        self.norm = nnx.BatchNorm(outputs, momentum=0.99, epsilon=1e-3, use_scale=False, rngs=rngs)

    def __call__(self, x):
        return nnx.relu(self.norm(self.conv(x)))


def average_pool(x):
    return nnx.avg_pool(x, (3, 3), padding="SAME", count_include_pad=False)


def max_pool(x):
    return nnx.max_pool(x, (3, 3), strides=(2, 2))


class InceptionA(nnx.Module):
    def __init__(self, inputs, pooled, *, rngs):
        self.branch1x1 = ConvNorm(inputs, 64, (1, 1), rngs=rngs)
        self.branch5x5 = nnx.Sequential(
            ConvNorm(inputs, 48, (1, 1), rngs=rngs),
            ConvNorm(48, 64, (5, 5), rngs=rngs),
        )
        self.branch3x3dbl = nnx.Sequential(
            ConvNorm(inputs, 64, (1, 1), rngs=rngs),
            ConvNorm(64, 96, (3, 3), rngs=rngs),
            ConvNorm(96, 96, (3, 3), rngs=rngs),
        )
        self.branch_pool = ConvNorm(inputs, pooled, (1, 1), rngs=rngs)

    def __call__(self, x):
        pooled = self.branch_pool(average_pool(x))
        return jnp.concatenate([self.branch1x1(x), self.branch5x5(x), self.branch3x3dbl(x), pooled], axis=-1)


class ReductionA(nnx.Module):
    def __init__(self, inputs, *, rngs):
        self.branch3x3 = ConvNorm(inputs, 384, (3, 3), strides=2, padding="VALID", rngs=rngs)
        self.branch3x3dbl = nnx.Sequential(
            ConvNorm(inputs, 64, (1, 1), rngs=rngs),
            ConvNorm(64, 96, (3, 3), rngs=rngs),
            ConvNorm(96, 96, (3, 3), strides=2, padding="VALID", rngs=rngs),
        )

    def __call__(self, x):
        return jnp.concatenate([self.branch3x3(x), self.branch3x3dbl(x), max_pool(x)], axis=-1)


class InceptionB(nnx.Module):
    def __init__(self, inputs, width, *, rngs):
        self.branch1x1 = ConvNorm(inputs, 192, (1, 1), rngs=rngs)
        self.branch7x7 = nnx.Sequential(
            ConvNorm(inputs, width, (1, 1), rngs=rngs),
            ConvNorm(width, width, (1, 7), rngs=rngs),
            ConvNorm(width, 192, (7, 1), rngs=rngs),
        )
        self.branch7x7dbl = nnx.Sequential(
            ConvNorm(inputs, width, (1, 1), rngs=rngs),
            ConvNorm(width, width, (7, 1), rngs=rngs),
            ConvNorm(width, width, (1, 7), rngs=rngs),
            ConvNorm(width, width, (7, 1), rngs=rngs),
            ConvNorm(width, 192, (1, 7), rngs=rngs),
        )
        self.branch_pool = ConvNorm(inputs, 192, (1, 1), rngs=rngs)

    def __call__(self, x):
        pooled = self.branch_pool(average_pool(x))
        return jnp.concatenate([self.branch1x1(x), self.branch7x7(x), self.branch7x7dbl(x), pooled], axis=-1)


class ReductionB(nnx.Module):
    def __init__(self, inputs, *, rngs):
        self.branch3x3 = nnx.Sequential(
            ConvNorm(inputs, 192, (1, 1), rngs=rngs),
            ConvNorm(192, 320, (3, 3), strides=2, padding="VALID", rngs=rngs),
        )
        self.branch7x7x3 = nnx.Sequential(
            ConvNorm(inputs, 192, (1, 1), rngs=rngs),
            ConvNorm(192, 192, (1, 7), rngs=rngs),
            ConvNorm(192, 192, (7, 1), rngs=rngs),
            ConvNorm(192, 192, (3, 3), strides=2, padding="VALID", rngs=rngs),
        )

    def __call__(self, x):
        return jnp.concatenate([self.branch3x3(x), self.branch7x7x3(x), max_pool(x)], axis=-1)


class InceptionC(nnx.Module):
    def __init__(self, inputs, *, rngs):
        self.branch1x1 = ConvNorm(inputs, 320, (1, 1), rngs=rngs)
        self.branch3x3 = ConvNorm(inputs, 384, (1, 1), rngs=rngs)
        self.branch3x3_row = ConvNorm(384, 384, (1, 3), rngs=rngs)
        self.branch3x3_column = ConvNorm(384, 384, (3, 1), rngs=rngs)
        self.branch3x3dbl = nnx.Sequential(
            ConvNorm(inputs, 448, (1, 1), rngs=rngs),
            ConvNorm(448, 384, (3, 3), rngs=rngs),
        )
        self.branch3x3dbl_row = ConvNorm(384, 384, (1, 3), rngs=rngs)
        self.branch3x3dbl_column = ConvNorm(384, 384, (3, 1), rngs=rngs)
        self.branch_pool = ConvNorm(inputs, 192, (1, 1), rngs=rngs)

    def __call__(self, x):
        single = self.branch3x3(x)
        double = self.branch3x3dbl(x)
        branches = [
            self.branch1x1(x),
            self.branch3x3_row(single),
            self.branch3x3_column(single),
            self.branch3x3dbl_row(double),
            self.branch3x3dbl_column(double),
            self.branch_pool(average_pool(x)),
        ]
        return jnp.concatenate(branches, axis=-1)


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.stem1 = ConvNorm(3, 32, (3, 3), strides=2, padding="VALID", rngs=rngs)
        self.stem2 = ConvNorm(32, 32, (3, 3), padding="VALID", rngs=rngs)
        self.stem3 = ConvNorm(32, 64, (3, 3), rngs=rngs)
        self.stem4 = ConvNorm(64, 80, (1, 1), rngs=rngs)
        self.stem5 = ConvNorm(80, 192, (3, 3), padding="VALID", rngs=rngs)
        self.mixed0 = InceptionA(192, pooled=32, rngs=rngs)
        self.mixed1 = InceptionA(256, pooled=64, rngs=rngs)
        self.mixed2 = InceptionA(288, pooled=64, rngs=rngs)
        self.mixed3 = ReductionA(288, rngs=rngs)
        self.mixed4 = InceptionB(768, width=128, rngs=rngs)
        self.mixed5 = InceptionB(768, width=160, rngs=rngs)
        self.mixed6 = InceptionB(768, width=160, rngs=rngs)
        self.mixed7 = InceptionB(768, width=192, rngs=rngs)
        self.mixed8 = ReductionB(768, rngs=rngs)
        self.mixed9 = InceptionC(1280, rngs=rngs)
        self.mixed10 = InceptionC(2048, rngs=rngs)
        self.head = nnx.Linear(2048, 120, rngs=rngs)

    def __call__(self, x):  # (batch, 224, 224, 3)
        x = self.stem3(self.stem2(self.stem1(x)))
        x = self.stem5(self.stem4(max_pool(x)))
        x = max_pool(x)  # (batch, 25, 25, 192)
        x = self.mixed2(self.mixed1(self.mixed0(x)))
        x = self.mixed3(x)  # (batch, 12, 12, 768)
        x = self.mixed7(self.mixed6(self.mixed5(self.mixed4(x))))
        x = self.mixed8(x)  # (batch, 5, 5, 1280)
        x = self.mixed10(self.mixed9(x))  # (batch, 5, 5, 2048)
        x = x.mean(axis=(1, 2))
        return self.head(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
