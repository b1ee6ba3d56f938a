import chainer
import chainer.functions as F
import chainer.links as L

GROWTH = 32


class DenseLayer(chainer.Chain):
    def __init__(self, inputs):
        super(DenseLayer, self).__init__()
        with self.init_scope():
            self.norm1 = batch_norm(inputs)
            self.conv1 = L.Convolution2D(inputs, 4 * GROWTH, ksize=1, nobias=True)
            self.norm2 = batch_norm(4 * GROWTH)
            self.conv2 = L.Convolution2D(4 * GROWTH, GROWTH, ksize=3, pad=1, nobias=True)

    def __call__(self, x):
        h = self.conv1(F.relu(self.norm1(x)))
        h = self.conv2(F.relu(self.norm2(h)))
        return F.concat([x, h], axis=1)


class DenseBlock(chainer.ChainList):
    def __init__(self, inputs, depth):
        super(DenseBlock, self).__init__(*[DenseLayer(inputs + index * GROWTH) for index in range(depth)])

    def __call__(self, x):
        for layer in self:
            x = layer(x)
        return x


class Transition(chainer.Chain):
    def __init__(self, inputs):
        super(Transition, self).__init__()
        with self.init_scope():
            self.norm = batch_norm(inputs)
            self.conv = L.Convolution2D(inputs, inputs // 2, ksize=1, nobias=True)

    def __call__(self, x):
        h = self.conv(F.relu(self.norm(x)))
        return F.average_pooling_2d(h, ksize=2, stride=2)


def batch_norm(channels):
    return L.BatchNormalization(channels, decay=0.99, eps=1.001e-5)


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(3, 64, ksize=7, stride=2, pad=3, nobias=True)
            self.norm = batch_norm(64)
            self.block1 = DenseBlock(64, depth=6)
            self.transition1 = Transition(256)
            self.block2 = DenseBlock(128, depth=12)
            self.transition2 = Transition(512)
            self.block3 = DenseBlock(256, depth=24)
            self.transition3 = Transition(1024)
            self.block4 = DenseBlock(512, depth=16)
            self.final_norm = batch_norm(1024)
            self.head = L.Linear(1024, 14)

    def __call__(self, x):  # (batch, 3, 224, 224)
        h = F.relu(self.norm(self.conv(x)))
        h = F.max_pooling_2d(h, ksize=3, stride=2, pad=1, cover_all=False)  # (batch, 64, 56, 56)
        h = self.transition1(self.block1(h))  # (batch, 128, 28, 28)
        h = self.transition2(self.block2(h))  # (batch, 256, 14, 14)
        h = self.transition3(self.block3(h))  # (batch, 512, 7, 7)
        h = F.relu(self.final_norm(self.block4(h)))  # (batch, 1024, 7, 7)
        h = F.average_pooling_2d(h, ksize=h.shape[2:], stride=1)
        return self.head(h)


def loss(outputs, labels):
    return F.sigmoid_cross_entropy(outputs, labels.astype("int32"))


OPTIMIZERS = {
    # Chainer's epsilon is Kingma and Ba's epsilon-hat: it acts as eps / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda: chainer.optimizers.Adam(alpha=0.001, beta1=0.9, beta2=0.999, eps=1e-8),
}
