from mxnet import gluon
from mxnet.gluon import nn


class Bottleneck(gluon.HybridBlock):
    def __init__(self, width, strides=1, projects=False, **kwargs):
        super(Bottleneck, self).__init__(**kwargs)
        outputs = 4 * width
        with self.name_scope():
            self.conv1 = nn.Conv2D(width, kernel_size=1, strides=strides)
            self.norm1 = batch_norm()
            self.conv2 = nn.Conv2D(width, kernel_size=3, padding=1)
            self.norm2 = batch_norm()
            self.conv3 = nn.Conv2D(outputs, kernel_size=1)
            self.norm3 = batch_norm()
            self.projects = projects
            if self.projects:
                self.shortcut = nn.Conv2D(outputs, kernel_size=1, strides=strides)
                self.shortcut_norm = batch_norm()

    def hybrid_forward(self, F, x):
        shortcut = self.shortcut_norm(self.shortcut(x)) if self.projects else x
        x = F.Activation(self.norm1(self.conv1(x)), act_type="relu")
        x = F.Activation(self.norm2(self.conv2(x)), act_type="relu")
        x = self.norm3(self.conv3(x))
        return F.Activation(x + shortcut, act_type="relu")


def batch_norm():
    return nn.BatchNorm(epsilon=1.001e-5, momentum=0.99)


def stage(width, blocks, strides):
    layers = nn.HybridSequential()
    with layers.name_scope():
        layers.add(Bottleneck(width, strides, projects=True))
        for _ in range(blocks - 1):
            layers.add(Bottleneck(width))
    return layers


class Model(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Model, self).__init__(**kwargs)
        with self.name_scope():
            self.conv = nn.Conv2D(64, kernel_size=7, strides=2, padding=3)
            self.norm = batch_norm()
            self.pool = nn.MaxPool2D(pool_size=3, strides=2, padding=1)
            self.stage1 = stage(64, blocks=3, strides=1)
            self.stage2 = stage(128, blocks=4, strides=2)
            self.stage3 = stage(256, blocks=6, strides=2)
            self.stage4 = stage(512, blocks=3, strides=2)
            self.features = nn.GlobalAvgPool2D()

    def hybrid_forward(self, F, x):  # (batch, 3, 224, 224)
        x = F.Activation(self.norm(self.conv(x)), act_type="relu")
        x = self.pool(x)  # (batch, 64, 56, 56)
        x = self.stage1(x)
        x = self.stage2(x)
        x = self.stage3(x)
        x = self.stage4(x)  # (batch, 2048, 7, 7)
        return F.flatten(self.features(x))


loss = None  # inference only

OPTIMIZERS = {}
