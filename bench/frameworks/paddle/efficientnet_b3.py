import paddle
import paddle.nn.functional as F
from paddle import nn


def pad_same(x, size):
    """Pad for a stride of 2 as TensorFlow's "same" does: one less at the top and left where the side is even."""
    after = size // 2
    top, left = (after - 1 + side % 2 for side in x.shape[2:])
    return F.pad(x, [left, after, top, after])


def batch_norm(channels):
    return nn.BatchNorm2D(channels, epsilon=1e-3, momentum=0.99)


class Block(nn.Layer):
    def __init__(self, inputs, outputs, size, expansion, stride=1):
        super().__init__()
        self.size, self.stride = size, stride
        self.expands = expansion > 1
        self.is_residual = stride == 1 and inputs == outputs
        width = expansion * inputs
        if self.expands:
            self.expand = nn.Conv2D(inputs, width, 1, bias_attr=False)
            self.expand_norm = batch_norm(width)
        padding = size // 2 if stride == 1 else 0
        self.depthwise = nn.Conv2D(width, width, size, stride=stride, padding=padding, groups=width, bias_attr=False)
        self.depthwise_norm = batch_norm(width)
        self.squeeze = nn.Conv2D(width, inputs // 4, 1)
        self.excite = nn.Conv2D(inputs // 4, width, 1)
        self.project = nn.Conv2D(width, outputs, 1, bias_attr=False)
        self.project_norm = batch_norm(outputs)

    def forward(self, x):
        shortcut = x
        if self.expands:
            x = F.silu(self.expand_norm(self.expand(x)))
        if self.stride == 2:
            x = pad_same(x, self.size)
        x = F.silu(self.depthwise_norm(self.depthwise(x)))
        gate = F.silu(self.squeeze(x.mean(axis=[2, 3], keepdim=True)))
        x = x * F.sigmoid(self.excite(gate))
        x = self.project_norm(self.project(x))
        return x + shortcut if self.is_residual else x


def stage(inputs, outputs, blocks, size, expansion, stride):
    first = Block(inputs, outputs, size, expansion, stride)
    return nn.Sequential(first, *(Block(outputs, outputs, size, expansion) for _ in range(blocks - 1)))


class Trunk(nn.Layer):
    def __init__(self):
        super().__init__()
        self.stem = nn.Conv2D(3, 40, 3, stride=2, bias_attr=False)
        self.stem_norm = batch_norm(40)
        self.stage1 = stage(40, 24, blocks=2, size=3, expansion=1, stride=1)
        self.stage2 = stage(24, 32, blocks=3, size=3, expansion=6, stride=2)
        self.stage3 = stage(32, 48, blocks=3, size=5, expansion=6, stride=2)
        self.stage4 = stage(48, 96, blocks=5, size=3, expansion=6, stride=2)
        self.stage5 = stage(96, 136, blocks=5, size=5, expansion=6, stride=1)
        self.stage6 = stage(136, 232, blocks=6, size=5, expansion=6, stride=2)
        self.stage7 = stage(232, 384, blocks=2, size=3, expansion=6, stride=1)
        self.top = nn.Conv2D(384, 1536, 1, bias_attr=False)
        self.top_norm = batch_norm(1536)

    def forward(self, x):  # (batch, 3, 300, 300)
        x = F.silu(self.stem_norm(self.stem(pad_same(x, 3))))  # (batch, 40, 150, 150)
        x = self.stage1(x)
        x = self.stage2(x)  # (batch, 32, 75, 75)
        x = self.stage3(x)  # (batch, 48, 38, 38)
        x = self.stage4(x)
        x = self.stage5(x)  # (batch, 136, 19, 19)
        x = self.stage6(x)
        x = self.stage7(x)  # (batch, 384, 10, 10)
        return F.silu(self.top_norm(self.top(x)))


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.trunk = Trunk()
        for parameter in self.trunk.parameters():
            parameter.trainable = False
        self.head = nn.Linear(1536, 10)

    def train(self):
        super().train()
        self.trunk.eval()  # frozen: batch norm uses its moving statistics in training, too

    def forward(self, x):
        x = self.trunk(x).mean(axis=[2, 3])
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "adam": lambda parameters: paddle.optimizer.Adam(0.01, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
