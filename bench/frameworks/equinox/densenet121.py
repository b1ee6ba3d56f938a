import equinox as eqx
import jax
import jax.numpy as jnp
import optax

GROWTH = 32


class DenseLayer(eqx.nn.StatefulLayer):
    norm1: eqx.nn.BatchNorm
    conv1: eqx.nn.Conv2d
    norm2: eqx.nn.BatchNorm
    conv2: eqx.nn.Conv2d

    def __init__(self, inputs, *, key):
        keys = jax.random.split(key, 2)
        self.norm1 = batch_norm(inputs)
        self.conv1 = eqx.nn.Conv2d(inputs, 4 * GROWTH, 1, use_bias=False, key=keys[0])
        self.norm2 = batch_norm(4 * GROWTH)
        self.conv2 = eqx.nn.Conv2d(4 * GROWTH, GROWTH, 3, padding=1, use_bias=False, key=keys[1])

    def __call__(self, x, state, *, key=None):
        new, state = self.norm1(x, state)
        new = self.conv1(jax.nn.relu(new))
        new, state = self.norm2(new, state)
        new = self.conv2(jax.nn.relu(new))
        return jnp.concatenate([x, new]), state


class Transition(eqx.nn.StatefulLayer):
    norm: eqx.nn.BatchNorm
    conv: eqx.nn.Conv2d
    pool: eqx.nn.AvgPool2d

    def __init__(self, inputs, *, key):
        self.norm = batch_norm(inputs)
        self.conv = eqx.nn.Conv2d(inputs, inputs // 2, 1, use_bias=False, key=key)
        self.pool = eqx.nn.AvgPool2d(2, stride=2)

    def __call__(self, x, state, *, key=None):
        x, state = self.norm(x, state)
        return self.pool(self.conv(jax.nn.relu(x))), state


def batch_norm(channels):
    return eqx.nn.BatchNorm(channels, axis_name="batch", eps=1.001e-5, momentum=0.99, mode="batch")


def block(inputs, depth, key):
    keys = jax.random.split(key, depth)
    return eqx.nn.Sequential([DenseLayer(inputs + index * GROWTH, key=keys[index]) for index in range(depth)])


class Model(eqx.Module):
    conv: eqx.nn.Conv2d
    norm: eqx.nn.BatchNorm
    pool: eqx.nn.MaxPool2d
    block1: eqx.nn.Sequential
    transition1: Transition
    block2: eqx.nn.Sequential
    transition2: Transition
    block3: eqx.nn.Sequential
    transition3: Transition
    block4: eqx.nn.Sequential
    final_norm: eqx.nn.BatchNorm
    head: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 9)
        self.conv = eqx.nn.Conv2d(3, 64, 7, stride=2, padding=3, use_bias=False, key=keys[0])
        self.norm = batch_norm(64)
        self.pool = eqx.nn.MaxPool2d(3, stride=2, padding=1)
        self.block1 = block(64, depth=6, key=keys[1])
        self.transition1 = Transition(256, key=keys[2])
        self.block2 = block(128, depth=12, key=keys[3])
        self.transition2 = Transition(512, key=keys[4])
        self.block3 = block(256, depth=24, key=keys[5])
        self.transition3 = Transition(1024, key=keys[6])
        self.block4 = block(512, depth=16, key=keys[7])
        self.final_norm = batch_norm(1024)
        self.head = eqx.nn.Linear(1024, 14, key=keys[8])

    def __call__(self, x, state, key):  # (3, 224, 224): one example, of a batch by jax.vmap
        x, state = self.norm(self.conv(x), state)
        x = self.pool(jax.nn.relu(x))  # (64, 56, 56)
        x, state = self.block1(x, state)
        x, state = self.transition1(x, state)  # (128, 28, 28)
        x, state = self.block2(x, state)
        x, state = self.transition2(x, state)  # (256, 14, 14)
        x, state = self.block3(x, state)
        x, state = self.transition3(x, state)  # (512, 7, 7)
        x, state = self.block4(x, state)
        x, state = self.final_norm(x, state)  # (1024, 7, 7)
        return self.head(jax.nn.relu(x).mean(axis=(1, 2))), state


def loss(logits, y):
    return optax.sigmoid_binary_cross_entropy(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
