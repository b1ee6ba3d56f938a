from mxnet import gluon
from mxnet.gluon import nn


class Model(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Model, self).__init__(**kwargs)
        with self.name_scope():
            self.hidden1 = nn.Dense(512, activation="relu")
            self.dropout1 = nn.Dropout(0.2)
            self.hidden2 = nn.Dense(512, activation="relu")
            self.dropout2 = nn.Dropout(0.2)
            self.head = nn.Dense(10)

    def hybrid_forward(self, F, x):
        x = self.dropout1(self.hidden1(x))
        x = self.dropout2(self.hidden2(x))
        return self.head(x)


loss = gluon.loss.SoftmaxCrossEntropyLoss()

OPTIMIZERS = {
    # MXNet adds epsilon under the root: 1e-10 outside it is its square there, as long as the one or the other decides.
    "rmsprop": lambda parameters: gluon.Trainer(
        parameters, "rmsprop", {"learning_rate": 0.001, "gamma1": 0.9, "epsilon": 1e-20}
    ),
}
