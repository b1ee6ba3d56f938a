from functools import partial

import optax
from flax import linen as nn


class Bottleneck(nn.Module):
    width: int
    stride: int = 1

    @nn.compact
    def __call__(self, x, train):
        norm = partial(nn.BatchNorm, use_running_average=not train, momentum=0.99, epsilon=1.001e-5)
        outputs = 4 * self.width
        shortcut = x
        if x.shape[-1] != outputs:
            shortcut = nn.Conv(outputs, (1, 1), strides=self.stride, name="shortcut")(x)
            shortcut = norm(name="shortcut_norm")(shortcut)
        x = nn.Conv(self.width, (1, 1), strides=self.stride, name="conv1")(x)
        x = nn.relu(norm(name="norm1")(x))
        x = nn.Conv(self.width, (3, 3), padding="SAME", name="conv2")(x)
        x = nn.relu(norm(name="norm2")(x))
        x = nn.Conv(outputs, (1, 1), name="conv3")(x)
        x = norm(name="norm3")(x)
        return nn.relu(x + shortcut)


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):  # (batch, 224, 224, 3)
        x = nn.Conv(64, (7, 7), strides=2, padding=3, name="conv")(x)
        x = nn.BatchNorm(use_running_average=not train, momentum=0.99, epsilon=1.001e-5, name="norm")(x)
        x = nn.relu(x)
        x = nn.max_pool(x, (3, 3), strides=(2, 2), padding=((1, 1), (1, 1)))  # (batch, 56, 56, 64)
        for stage, depth in enumerate((3, 4, 6, 3), start=1):
            for index in range(depth):
                stride = 2 if stage > 1 and index == 0 else 1
                x = Bottleneck(32 * 2**stage, stride, name="stage%d_%d" % (stage, index))(x, train)
        x = x.mean(axis=(1, 2))  # (batch, 2048), from (batch, 7, 7, 2048)
        return nn.Dense(120, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "sgd": lambda: optax.sgd(0.01, momentum=0.9),
    "adam": lambda: optax.adam(1e-3, b1=0.9, b2=0.999, eps=1e-7),
}
