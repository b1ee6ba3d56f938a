import optax
from flax import nnx

TRAINED = nnx.All(nnx.Param, nnx.PathContains("head"))  # what is differentiated and updated; the trunk is frozen


def batch_norm(channels, rngs):
    return nnx.BatchNorm(channels, momentum=0.99, epsilon=1e-3, rngs=rngs)


class Block(nnx.Module):
    def __init__(self, inputs, outputs, size, expansion, stride=1, *, rngs):
        self.expands = expansion > 1
        self.is_residual = stride == 1 and inputs == outputs
        width = expansion * inputs
        if self.expands:
            self.expand = nnx.Conv(inputs, width, (1, 1), use_bias=False, rngs=rngs)
            self.expand_norm = batch_norm(width, rngs)
        self.depthwise = nnx.Conv(
            width, width, (size, size), strides=stride, padding="SAME", feature_group_count=width, use_bias=False,
            rngs=rngs,
        )  # fmt: skip
        self.depthwise_norm = batch_norm(width, rngs)
        self.squeeze = nnx.Conv(width, inputs // 4, (1, 1), rngs=rngs)
        self.excite = nnx.Conv(inputs // 4, width, (1, 1), rngs=rngs)
        self.project = nnx.Conv(width, outputs, (1, 1), use_bias=False, rngs=rngs)
        self.project_norm = batch_norm(outputs, rngs)

    def __call__(self, x):
        shortcut = x
        if self.expands:
            x = nnx.swish(self.expand_norm(self.expand(x)))
        x = nnx.swish(self.depthwise_norm(self.depthwise(x)))
        gate = nnx.swish(self.squeeze(x.mean(axis=(1, 2), keepdims=True)))
        x = x * nnx.sigmoid(self.excite(gate))
        x = self.project_norm(self.project(x))
        return x + shortcut if self.is_residual else x


def stage(inputs, outputs, blocks, size, expansion, stride, rngs):
    first = Block(inputs, outputs, size, expansion, stride, rngs=rngs)
    return nnx.Sequential(first, *(Block(outputs, outputs, size, expansion, rngs=rngs) for _ in range(blocks - 1)))


class Trunk(nnx.Module):
    def __init__(self, *, rngs):
        self.stem = nnx.Conv(3, 40, (3, 3), strides=2, padding="SAME", use_bias=False, rngs=rngs)
        self.stem_norm = batch_norm(40, rngs)
        self.stage1 = stage(40, 24, blocks=2, size=3, expansion=1, stride=1, rngs=rngs)
        self.stage2 = stage(24, 32, blocks=3, size=3, expansion=6, stride=2, rngs=rngs)
        self.stage3 = stage(32, 48, blocks=3, size=5, expansion=6, stride=2, rngs=rngs)
        self.stage4 = stage(48, 96, blocks=5, size=3, expansion=6, stride=2, rngs=rngs)
        self.stage5 = stage(96, 136, blocks=5, size=5, expansion=6, stride=1, rngs=rngs)
        self.stage6 = stage(136, 232, blocks=6, size=5, expansion=6, stride=2, rngs=rngs)
        self.stage7 = stage(232, 384, blocks=2, size=3, expansion=6, stride=1, rngs=rngs)
        self.top = nnx.Conv(384, 1536, (1, 1), use_bias=False, rngs=rngs)
        self.top_norm = batch_norm(1536, rngs)

    def __call__(self, x):  # (batch, 300, 300, 3)
        x = nnx.swish(self.stem_norm(self.stem(x)))  # (batch, 150, 150, 40)
        x = self.stage1(x)
        x = self.stage2(x)  # (batch, 75, 75, 32)
        x = self.stage3(x)  # (batch, 38, 38, 48)
        x = self.stage4(x)
        x = self.stage5(x)  # (batch, 19, 19, 136)
        x = self.stage6(x)
        x = self.stage7(x)  # (batch, 10, 10, 384)
        return nnx.swish(self.top_norm(self.top(x)))


class Model(nnx.Module):
    def __init__(self, *, rngs):
        self.trunk = Trunk(rngs=rngs)
        self.head = nnx.Linear(1536, 10, rngs=rngs)

    def train(self, **attributes):
        super().train(**attributes)
        self.trunk.eval()  # frozen: batch norm uses its moving statistics in training, too

    def __call__(self, x):
        x = self.trunk(x).mean(axis=(1, 2))
        return self.head(x)


def loss(logits, y):
    return optax.softmax_cross_entropy_with_integer_labels(logits, y).mean()


OPTIMIZERS = {
    "adam": lambda: optax.adam(0.01, b1=0.9, b2=0.999, eps=1e-7),
}
