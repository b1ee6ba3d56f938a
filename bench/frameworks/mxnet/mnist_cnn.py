from mxnet import gluon
from mxnet.gluon import nn


class Model(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Model, self).__init__(**kwargs)
        with self.name_scope():
            self.conv1 = nn.Conv2D(32, kernel_size=3, activation="relu")
            self.conv2 = nn.Conv2D(64, kernel_size=3, activation="relu")
            self.pool = nn.MaxPool2D(pool_size=2, strides=2)
            self.dropout1 = nn.Dropout(0.25)
            self.hidden = nn.Dense(128, activation="relu")
            self.dropout2 = nn.Dropout(0.5)
            self.head = nn.Dense(10)

    def hybrid_forward(self, F, x):  # (batch, 1, 28, 28)
        x = self.conv2(self.conv1(x))  # (batch, 64, 24, 24)
        x = self.dropout1(self.pool(x))  # (batch, 64, 12, 12)
        x = self.dropout2(self.hidden(x))  # a dense layer flattens its input
        return self.head(x)


loss = gluon.loss.SoftmaxCrossEntropyLoss()

OPTIMIZERS = {
    # MXNet's has no learning rate, which is as good as the stated 1.
    "adadelta": lambda parameters: gluon.Trainer(parameters, "adadelta", {"rho": 0.95, "epsilon": 1e-8}),
}
