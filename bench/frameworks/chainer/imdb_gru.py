import chainer
import chainer.functions as F
import chainer.links as L


class Model(chainer.Chain):
    def __init__(self):
        super(Model, self).__init__()
        with self.init_scope():
            self.embedding = L.EmbedID(30000, 125)
            self.gru = L.NStepGRU(n_layers=1, in_size=125, out_size=100, dropout=0.0)
            self.head = L.Linear(100, 2)

    def __call__(self, x):  # (batch, 150)
        words = self.embedding(x.reshape(-1))  # all words of all reviews at once
        reviews = F.split_axis(words, len(x), axis=0)  # a sequence (150, 125) of each, as links of many steps take them
        last, _ = self.gru(None, reviews)  # (1, batch, 100)
        return self.head(last[0])


loss = F.softmax_cross_entropy

OPTIMIZERS = {
    # Chainer's epsilon is Kingma and Ba's epsilon-hat: it acts as eps / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda: chainer.optimizers.Adam(alpha=0.001, beta1=0.9, beta2=0.999, eps=1e-8),
}
