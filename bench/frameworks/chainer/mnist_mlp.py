import chainer
import chainer.functions as F
import chainer.links as L


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        self.dropout1 = 0.2
        self.dropout2 = 0.2
        with self.init_scope():
            self.hidden1 = L.Linear(784, 512)
            self.hidden2 = L.Linear(512, 512)
            self.head = L.Linear(512, 10)

    def __call__(self, x):
        h = F.dropout(F.relu(self.hidden1(x)), ratio=self.dropout1)
        h = F.dropout(F.relu(self.hidden2(h)), ratio=self.dropout2)
        return self.head(h)


loss = F.softmax_cross_entropy

OPTIMIZERS = {
    "rmsprop": lambda: chainer.optimizers.RMSprop(lr=0.001, alpha=0.9, eps=1e-10),
}
