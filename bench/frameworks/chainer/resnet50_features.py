import chainer
import chainer.functions as F
import chainer.links as L


class Bottleneck(chainer.Chain):
    def __init__(self, inputs, width, stride=1):
        super(Bottleneck, self).__init__()
        outputs = 4 * width
        self.projects = inputs != outputs
        with self.init_scope():
            self.conv1 = L.Convolution2D(inputs, width, ksize=1, stride=stride)
            self.norm1 = batch_norm(width)
            self.conv2 = L.Convolution2D(width, width, ksize=3, pad=1)
            self.norm2 = batch_norm(width)
            self.conv3 = L.Convolution2D(width, outputs, ksize=1)
            self.norm3 = batch_norm(outputs)
            if self.projects:
                self.shortcut = L.Convolution2D(inputs, outputs, ksize=1, stride=stride)
                self.shortcut_norm = batch_norm(outputs)

    def __call__(self, x):
        shortcut = self.shortcut_norm(self.shortcut(x)) if self.projects else x
        h = F.relu(self.norm1(self.conv1(x)))
        h = F.relu(self.norm2(self.conv2(h)))
        h = self.norm3(self.conv3(h))
        return F.relu(h + shortcut)


class Stage(chainer.ChainList):
    def __init__(self, inputs, width, blocks, stride):
        first = Bottleneck(inputs, width, stride)
        super(Stage, self).__init__(first, *[Bottleneck(4 * width, width) for _ in range(blocks - 1)])

    def __call__(self, x):
        for block in self:
            x = block(x)
        return x


def batch_norm(channels):
    return L.BatchNormalization(channels, decay=0.99, eps=1.001e-5)


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(3, 64, ksize=7, stride=2, pad=3)
            self.norm = batch_norm(64)
            self.stage1 = Stage(64, 64, blocks=3, stride=1)
            self.stage2 = Stage(256, 128, blocks=4, stride=2)
            self.stage3 = Stage(512, 256, blocks=6, stride=2)
            self.stage4 = Stage(1024, 512, blocks=3, stride=2)

    def __call__(self, x):  # (batch, 3, 224, 224)
        h = F.relu(self.norm(self.conv(x)))
        h = F.max_pooling_2d(h, ksize=3, stride=2, pad=1, cover_all=False)  # (batch, 64, 56, 56)
        h = self.stage1(h)
        h = self.stage2(h)
        h = self.stage3(h)
        h = self.stage4(h)  # (batch, 2048, 7, 7)
        h = F.average_pooling_2d(h, ksize=h.shape[2:], stride=1)
        return F.reshape(h, (len(h), -1))


loss = None  # inference only

OPTIMIZERS = {}
