import jax.numpy as jnp
import optax
from flax import nnx

GROWTH = 32


class DenseLayer(nnx.Module):
    def __init__(self, inputs, *, rngs):
        self.norm1 = batch_norm(inputs, rngs)
        self.conv1 = nnx.Conv(inputs, 4 * GROWTH, (1, 1), use_bias=False, rngs=rngs)
        self.norm2 = batch_norm(4 * GROWTH, rngs)
        self.conv2 = nnx.Conv(4 * GROWTH, GROWTH, (3, 3), padding="SAME", use_bias=False, rngs=rngs)

    def __call__(self, x):
        new = self.conv1(nnx.relu(self.norm1(x)))
        new = self.conv2(nnx.relu(self.norm2(new)))
        return jnp.concatenate([x, new], axis=-1)


class Transition(nnx.Module):
    def __init__(self, inputs, *, rngs):
        self.norm = batch_norm(inputs, rngs)
        self.conv = nnx.Conv(inputs, inputs // 2, (1, 1), use_bias=False, rngs=rngs)

    def __call__(self, x):
        x = self.conv(nnx.relu(self.norm(x)))
        return nnx.avg_pool(x, (2, 2), strides=(2, 2))


def batch_norm(channels, rngs):
    return nnx.BatchNorm(channels, momentum=0.99, epsilon=1.001e-5, rngs=rngs)


def block(inputs, depth, rngs):
    return nnx.Sequential(*(DenseLayer(inputs + index * GROWTH, rngs=rngs) for index in range(depth)))


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.conv = nnx.Conv(3, 64, (7, 7), strides=2, padding=3, use_bias=False, rngs=rngs)
        self.norm = batch_norm(64, rngs)
        self.block1 = block(64, depth=6, rngs=rngs)
        self.transition1 = Transition(256, rngs=rngs)
        self.block2 = block(128, depth=12, rngs=rngs)
        self.transition2 = Transition(512, rngs=rngs)
        self.block3 = block(256, depth=24, rngs=rngs)
        self.transition3 = Transition(1024, rngs=rngs)
        self.block4 = block(512, depth=16, rngs=rngs)
        self.final_norm = batch_norm(1024, rngs)
        self.head = nnx.Linear(1024, 14, rngs=rngs)

    def __call__(self, x):  # (batch, 224, 224, 3)
        x = nnx.relu(self.norm(self.conv(x)))
        x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))  # (batch, 56, 56, 64)
        x = self.transition1(self.block1(x))  # (batch, 28, 28, 128)
        x = self.transition2(self.block2(x))  # (batch, 14, 14, 256)
        x = self.transition3(self.block3(x))  # (batch, 7, 7, 512)
        x = nnx.relu(self.final_norm(self.block4(x)))  # (batch, 7, 7, 1024)
        x = x.mean(axis=(1, 2))
        return self.head(x)


def loss(logits, y):
    return optax.sigmoid_binary_cross_entropy(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
