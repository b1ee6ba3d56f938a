import chainer
import chainer.functions as F
import chainer.links as L


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        self.dropout1 = 0.25
        self.dropout2 = 0.25
        self.dropout3 = 0.5
        with self.init_scope():
            self.conv1 = L.Convolution2D(3, 50, ksize=3, pad=1)
            self.conv2 = L.Convolution2D(50, 50, ksize=3, pad=1)
            self.conv3 = L.Convolution2D(50, 100, ksize=3, pad=1)
            self.conv4 = L.Convolution2D(100, 100, ksize=3, pad=1)
            self.hidden = L.Linear(100 * 8 * 8, 512)
            self.head = L.Linear(512, 10)

    def __call__(self, x):  # (batch, 3, 32, 32)
        h = F.relu(self.conv1(x))
        h = F.relu(self.conv2(h))
        h = F.max_pooling_2d(h, ksize=2, stride=2)  # (batch, 50, 16, 16)
        h = F.dropout(h, ratio=self.dropout1)

        h = F.relu(self.conv3(h))
        h = F.relu(self.conv4(h))
        h = F.max_pooling_2d(h, ksize=2, stride=2)  # (batch, 100, 8, 8)
        h = F.dropout(h, ratio=self.dropout2)

        h = F.dropout(F.relu(self.hidden(h)), ratio=self.dropout3)
        return self.head(h)


loss = F.softmax_cross_entropy

OPTIMIZERS = {
    "sgd": lambda: chainer.optimizers.MomentumSGD(lr=0.01, momentum=0.9),
}
