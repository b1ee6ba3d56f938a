from functools import partial

import optax
from flax import linen as nn

TRAINED = ("head",)  # the trunk is frozen
STAGES = (  # blocks, size of the kernel, expansion, stride, outputs
    (2, 3, 1, 1, 24),
    (3, 3, 6, 2, 32),
    (3, 5, 6, 2, 48),
    (5, 3, 6, 2, 96),
    (5, 5, 6, 1, 136),
    (6, 5, 6, 2, 232),
    (2, 3, 6, 1, 384),
)
# Frozen: batch norm uses its moving statistics in training, too
norm = partial(nn.BatchNorm, use_running_average=True, momentum=0.99, epsilon=1e-3)


class Block(nn.Module):
    outputs: int
    size: int
    expansion: int
    stride: int

    @nn.compact
    def __call__(self, x):
        shortcut = x
        inputs = x.shape[-1]
        width = self.expansion * inputs
        if self.expansion > 1:
            x = nn.Conv(width, (1, 1), use_bias=False, name="expand")(x)
            x = nn.swish(norm(name="expand_norm")(x))
        x = nn.Conv(
            width, (self.size, self.size), strides=self.stride, padding="SAME", feature_group_count=width,
            use_bias=False, name="depthwise",
        )(x)  # fmt: skip
        x = nn.swish(norm(name="depthwise_norm")(x))
        gate = x.mean(axis=(1, 2), keepdims=True)
        gate = nn.swish(nn.Conv(inputs // 4, (1, 1), name="squeeze")(gate))
        x = x * nn.sigmoid(nn.Conv(width, (1, 1), name="excite")(gate))
        x = nn.Conv(self.outputs, (1, 1), use_bias=False, name="project")(x)
        x = norm(name="project_norm")(x)
        return x + shortcut if self.stride == 1 and inputs == self.outputs else x


class Trunk(nn.Module):
    @nn.compact
    def __call__(self, x):  # (batch, 300, 300, 3)
        x = nn.Conv(40, (3, 3), strides=2, padding="SAME", use_bias=False, name="stem")(x)
        x = nn.swish(norm(name="stem_norm")(x))  # (batch, 150, 150, 40)
        for stage, (blocks, size, expansion, first_stride, outputs) in enumerate(STAGES, start=1):
            for index in range(blocks):
                stride = first_stride if index == 0 else 1
                x = Block(outputs, size, expansion, stride, name="stage%d_%d" % (stage, index))(x)
        x = nn.Conv(1536, (1, 1), use_bias=False, name="top")(x)
        return nn.swish(norm(name="top_norm")(x))  # (batch, 10, 10, 1536)


class Model(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = Trunk(name="trunk")(x).mean(axis=(1, 2))
        return nn.Dense(10, name="head")(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


def adam():
    rules = {"trained": optax.adam(0.01, b1=0.9, b2=0.999, eps=1e-7), "frozen": optax.set_to_zero()}
    return optax.multi_transform(rules, {"trunk": "frozen", "head": "trained"})


OPTIMIZERS = {"adam": adam}
