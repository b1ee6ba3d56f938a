from mxnet import gluon
from mxnet.gluon import nn


class Model(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Model, self).__init__(**kwargs)
        with self.name_scope():
            self.hidden1 = nn.Dense(256, activation="relu")
            self.norm1 = nn.BatchNorm(epsilon=1e-3, momentum=0.99)
            self.dropout1 = nn.Dropout(0.5)
            self.hidden2 = nn.Dense(128, activation="relu")
            self.norm2 = nn.BatchNorm(epsilon=1e-3, momentum=0.99)
            self.dropout2 = nn.Dropout(0.5)
            self.head = nn.Dense(10)

    def hybrid_forward(self, F, x):
        x = self.dropout1(self.norm1(self.hidden1(x)))
        x = self.dropout2(self.norm2(self.hidden2(x)))
        return self.head(x)


loss = gluon.loss.SoftmaxCrossEntropyLoss()

OPTIMIZERS = {
    # MXNet's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda parameters: gluon.Trainer(
        parameters, "adam", {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    ),
}
