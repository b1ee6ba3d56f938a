import paddle
import paddle.nn.functional as F
from paddle import nn


class Bottleneck(nn.Layer):
    def __init__(self, inputs, width, stride=1):
        super().__init__()
        outputs = 4 * width
        self.conv1 = nn.Conv2D(inputs, width, 1, stride=stride)
        self.norm1 = batch_norm(width)
        self.conv2 = nn.Conv2D(width, width, 3, padding=1)
        self.norm2 = batch_norm(width)
        self.conv3 = nn.Conv2D(width, outputs, 1)
        self.norm3 = batch_norm(outputs)
        self.projects = inputs != outputs
        if self.projects:
            self.shortcut = nn.Conv2D(inputs, outputs, 1, stride=stride)
            self.shortcut_norm = batch_norm(outputs)

    def forward(self, x):
        shortcut = self.shortcut_norm(self.shortcut(x)) if self.projects else x
        x = F.relu(self.norm1(self.conv1(x)))
        x = F.relu(self.norm2(self.conv2(x)))
        x = self.norm3(self.conv3(x))
        return F.relu(x + shortcut)


def batch_norm(channels):
    return nn.BatchNorm2D(channels, epsilon=1.001e-5, momentum=0.99)


def stage(inputs, width, blocks, stride):
    first = Bottleneck(inputs, width, stride)
    return nn.Sequential(first, *(Bottleneck(4 * width, width) for _ in range(blocks - 1)))


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2D(3, 64, 7, stride=2, padding=3)
        self.norm = batch_norm(64)
        self.stage1 = stage(64, 64, blocks=3, stride=1)
        self.stage2 = stage(256, 128, blocks=4, stride=2)
        self.stage3 = stage(512, 256, blocks=6, stride=2)
        self.stage4 = stage(1024, 512, blocks=3, stride=2)
        self.head = nn.Linear(2048, 120)

    def forward(self, x):  # (batch, 3, 224, 224)
        x = F.relu(self.norm(self.conv(x)))
        x = F.max_pool2d(x, 3, stride=2, padding=1)  # (batch, 64, 56, 56)
        x = self.stage1(x)
        x = self.stage2(x)
        x = self.stage3(x)
        x = self.stage4(x)  # (batch, 2048, 7, 7)
        x = x.mean(axis=[2, 3])
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "sgd": lambda parameters: paddle.optimizer.Momentum(0.01, momentum=0.9, parameters=parameters),
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
