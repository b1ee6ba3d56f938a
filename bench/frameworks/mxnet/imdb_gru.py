from mxnet import gluon, nd
from mxnet.gluon import nn, rnn


class Model(gluon.Block):  # MXNet 1.0's recurrent layers are no hybrid blocks, and nothing that holds one may be
    def __init__(self, **kwargs):
        super(Model, self).__init__(**kwargs)
        with self.name_scope():
            self.embedding = nn.Embedding(30000, 125)
            self.gru = rnn.GRU(100, layout="NTC")
            self.head = nn.Dense(2)

    def forward(self, x):  # (batch, 150)
        x = self.gru(self.embedding(x))  # (batch, 150, 100)
        return self.head(nd.slice_axis(x, axis=1, begin=-1, end=None))  # of the last output


loss = gluon.loss.SoftmaxCrossEntropyLoss()

OPTIMIZERS = {
    # MXNet's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda parameters: gluon.Trainer(
        parameters, "adam", {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    ),
}
