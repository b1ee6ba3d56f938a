import equinox as eqx
import jax


class Bottleneck(eqx.nn.StatefulLayer):
    conv1: eqx.nn.Conv2d
    norm1: eqx.nn.BatchNorm
    conv2: eqx.nn.Conv2d
    norm2: eqx.nn.BatchNorm
    conv3: eqx.nn.Conv2d
    norm3: eqx.nn.BatchNorm
    projects: bool = eqx.field(static=True)
    shortcut: eqx.nn.Conv2d = None
    shortcut_norm: eqx.nn.BatchNorm = None

    def __init__(self, inputs, width, stride=1, *, key):
        keys = jax.random.split(key, 4)
        outputs = 4 * width
        self.conv1 = eqx.nn.Conv2d(inputs, width, 1, stride=stride, key=keys[0])
        self.norm1 = batch_norm(width)
        self.conv2 = eqx.nn.Conv2d(width, width, 3, padding=1, key=keys[1])
        self.norm2 = batch_norm(width)
        self.conv3 = eqx.nn.Conv2d(width, outputs, 1, key=keys[2])
        self.norm3 = batch_norm(outputs)
        self.projects = inputs != outputs
        if self.projects:
            self.shortcut = eqx.nn.Conv2d(inputs, outputs, 1, stride=stride, key=keys[3])
            self.shortcut_norm = batch_norm(outputs)

    def __call__(self, x, state, *, key=None):
        shortcut = x
        if self.projects:
            shortcut, state = self.shortcut_norm(self.shortcut(x), state)
        x, state = self.norm1(self.conv1(x), state)
        x, state = self.norm2(self.conv2(jax.nn.relu(x)), state)
        x, state = self.norm3(self.conv3(jax.nn.relu(x)), state)
        return jax.nn.relu(x + shortcut), state


def batch_norm(channels):
    return eqx.nn.BatchNorm(channels, axis_name="batch", eps=1.001e-5, momentum=0.99, mode="batch")


def stage(inputs, width, blocks, stride, key):
    keys = jax.random.split(key, blocks)
    first = Bottleneck(inputs, width, stride, key=keys[0])
    return eqx.nn.Sequential([first] + [Bottleneck(4 * width, width, key=key) for key in keys[1:]])


class Model(eqx.Module):
    conv: eqx.nn.Conv2d
    norm: eqx.nn.BatchNorm
    pool: eqx.nn.MaxPool2d
    stage1: eqx.nn.Sequential
    stage2: eqx.nn.Sequential
    stage3: eqx.nn.Sequential
    stage4: eqx.nn.Sequential

    def __init__(self, key):
        keys = jax.random.split(key, 5)
        self.conv = eqx.nn.Conv2d(3, 64, 7, stride=2, padding=3, key=keys[0])
        self.norm = batch_norm(64)
        self.pool = eqx.nn.MaxPool2d(3, stride=2, padding=1)
        self.stage1 = stage(64, 64, blocks=3, stride=1, key=keys[1])
        self.stage2 = stage(256, 128, blocks=4, stride=2, key=keys[2])
        self.stage3 = stage(512, 256, blocks=6, stride=2, key=keys[3])
        self.stage4 = stage(1024, 512, blocks=3, stride=2, key=keys[4])

    def __call__(self, x, state, key):  # (3, 224, 224): one example, of a batch by jax.vmap
        x, state = self.norm(self.conv(x), state)
        x = self.pool(jax.nn.relu(x))  # (64, 56, 56)
        x, state = self.stage1(x, state)
        x, state = self.stage2(x, state)
        x, state = self.stage3(x, state)
        x, state = self.stage4(x, state)  # (2048, 7, 7)
        return x.mean(axis=(1, 2)), state


loss = None  # inference only

OPTIMIZERS = {}
