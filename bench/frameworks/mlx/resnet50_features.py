from mlx import nn


class Bottleneck(nn.Module):
    def __init__(self, inputs, width, stride=1):
        super().__init__()
        outputs = 4 * width
        self.conv1 = nn.Conv2d(inputs, width, 1, stride=stride)
        self.norm1 = batch_norm(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1)
        self.norm2 = batch_norm(width)
        self.conv3 = nn.Conv2d(width, outputs, 1)
        self.norm3 = batch_norm(outputs)
        self.projects = inputs != outputs
        if self.projects:
            self.shortcut = nn.Conv2d(inputs, outputs, 1, stride=stride)
            self.shortcut_norm = batch_norm(outputs)

    def __call__(self, x):
        shortcut = self.shortcut_norm(self.shortcut(x)) if self.projects else x
        x = nn.relu(self.norm1(self.conv1(x)))
        x = nn.relu(self.norm2(self.conv2(x)))
        x = self.norm3(self.conv3(x))
        return nn.relu(x + shortcut)


def batch_norm(channels):
    return nn.BatchNorm(channels, eps=1.001e-5, momentum=0.01)


def stage(inputs, width, blocks, stride):
    first = Bottleneck(inputs, width, stride)
    return [first] + [Bottleneck(4 * width, width) for _ in range(blocks - 1)]


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 64, 7, stride=2, padding=3)
        self.norm = batch_norm(64)
        self.pool = nn.MaxPool2d(3, stride=2, padding=1)
        self.stage1 = stage(64, 64, blocks=3, stride=1)
        self.stage2 = stage(256, 128, blocks=4, stride=2)
        self.stage3 = stage(512, 256, blocks=6, stride=2)
        self.stage4 = stage(1024, 512, blocks=3, stride=2)

    def __call__(self, x):  # (batch, 224, 224, 3)
        x = nn.relu(self.norm(self.conv(x)))
        x = self.pool(x)  # (batch, 56, 56, 64)
        for block in self.stage1 + self.stage2 + self.stage3 + self.stage4:
            x = block(x)  # (batch, 7, 7, 2048) in the end
        return x.mean(axis=(1, 2))


loss = None  # inference only

OPTIMIZERS = {}
