import chainer
import chainer.functions as F
import chainer.links as L


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        with self.init_scope():
            self.hidden = L.Linear(100, 128)
            self.head = L.Linear(128, 10)

    def __call__(self, x):
        return self.head(F.relu(self.hidden(x)))


loss = F.softmax_cross_entropy

OPTIMIZERS = {
    # Chainer's epsilon is Kingma and Ba's epsilon-hat: it acts as eps / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda: chainer.optimizers.Adam(alpha=0.001, beta1=0.9, beta2=0.999, eps=1e-8),
}
