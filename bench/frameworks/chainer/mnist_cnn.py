import chainer
import chainer.functions as F
import chainer.links as L


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        self.dropout1 = 0.25
        self.dropout2 = 0.5
        with self.init_scope():
            self.conv1 = L.Convolution2D(1, 32, ksize=3)
            self.conv2 = L.Convolution2D(32, 64, ksize=3)
            self.hidden = L.Linear(64 * 12 * 12, 128)
            self.head = L.Linear(128, 10)

    def __call__(self, x):  # (batch, 1, 28, 28)
        h = F.relu(self.conv1(x))
        h = F.relu(self.conv2(h))  # (batch, 64, 24, 24)
        h = F.max_pooling_2d(h, ksize=2, stride=2)  # (batch, 64, 12, 12)
        h = F.dropout(h, ratio=self.dropout1)
        h = F.dropout(F.relu(self.hidden(h)), ratio=self.dropout2)
        return self.head(h)


loss = F.softmax_cross_entropy

OPTIMIZERS = {
    "adadelta": lambda: chainer.optimizers.AdaDelta(rho=0.95, eps=1e-8),  # its learning rate is always 1
}
