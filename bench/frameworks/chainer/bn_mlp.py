import chainer
import chainer.functions as F
import chainer.links as L


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        self.dropout1 = 0.5
        self.dropout2 = 0.5
        with self.init_scope():
            self.hidden1 = L.Linear(100, 256)
            self.norm1 = L.BatchNormalization(256, decay=0.99, eps=1e-3)
            self.hidden2 = L.Linear(256, 128)
            self.norm2 = L.BatchNormalization(128, decay=0.99, eps=1e-3)
            self.head = L.Linear(128, 10)

    def __call__(self, x):
        h = self.norm1(F.relu(self.hidden1(x)))
        h = F.dropout(h, ratio=self.dropout1)
        h = self.norm2(F.relu(self.hidden2(h)))
        h = F.dropout(h, ratio=self.dropout2)
        return self.head(h)


loss = F.softmax_cross_entropy

OPTIMIZERS = {
    # Chainer's epsilon is Kingma and Ba's epsilon-hat: it acts as eps / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda: chainer.optimizers.Adam(alpha=0.001, beta1=0.9, beta2=0.999, eps=1e-8),
}
