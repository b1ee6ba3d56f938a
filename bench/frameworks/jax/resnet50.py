import optax
from flax import nnx


class Bottleneck(nnx.Module):
    def __init__(self, inputs, width, stride=1, *, rngs):
        outputs = 4 * width
        self.conv1 = nnx.Conv(inputs, width, (1, 1), strides=stride, rngs=rngs)
        self.norm1 = batch_norm(width, rngs)
        self.conv2 = nnx.Conv(width, width, (3, 3), padding="SAME", rngs=rngs)
        self.norm2 = batch_norm(width, rngs)
        self.conv3 = nnx.Conv(width, outputs, (1, 1), rngs=rngs)
        self.norm3 = batch_norm(outputs, rngs)
        self.projects = inputs != outputs
        if self.projects:
            self.shortcut = nnx.Conv(inputs, outputs, (1, 1), strides=stride, rngs=rngs)
            self.shortcut_norm = batch_norm(outputs, rngs)

    def __call__(self, x):
        shortcut = self.shortcut_norm(self.shortcut(x)) if self.projects else x
        x = nnx.relu(self.norm1(self.conv1(x)))
        x = nnx.relu(self.norm2(self.conv2(x)))
        x = self.norm3(self.conv3(x))
        return nnx.relu(x + shortcut)


def batch_norm(channels, rngs):
    return nnx.BatchNorm(channels, momentum=0.99, epsilon=1.001e-5, rngs=rngs)


def stage(inputs, width, blocks, stride, rngs):
    first = Bottleneck(inputs, width, stride, rngs=rngs)
    return nnx.Sequential(first, *(Bottleneck(4 * width, width, rngs=rngs) for _ in range(blocks - 1)))


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.conv = nnx.Conv(3, 64, (7, 7), strides=2, padding=3, rngs=rngs)
        self.norm = batch_norm(64, rngs)
        self.stage1 = stage(64, 64, blocks=3, stride=1, rngs=rngs)
        self.stage2 = stage(256, 128, blocks=4, stride=2, rngs=rngs)
        self.stage3 = stage(512, 256, blocks=6, stride=2, rngs=rngs)
        self.stage4 = stage(1024, 512, blocks=3, stride=2, rngs=rngs)
        self.head = nnx.Linear(2048, 120, rngs=rngs)

    def __call__(self, x):  # (batch, 224, 224, 3)
        x = nnx.relu(self.norm(self.conv(x)))
        x = nnx.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))  # (batch, 56, 56, 64)
        x = self.stage1(x)
        x = self.stage2(x)
        x = self.stage3(x)
        x = self.stage4(x)  # (batch, 7, 7, 2048)
        x = x.mean(axis=(1, 2))
        return self.head(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
