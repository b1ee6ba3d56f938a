from mxnet import gluon
from mxnet.gluon import nn


class Model(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Model, self).__init__(**kwargs)
        with self.name_scope():
            self.conv1 = nn.Conv2D(50, kernel_size=3, padding=1, activation="relu")
            self.conv2 = nn.Conv2D(50, kernel_size=3, padding=1, activation="relu")
            self.pool1 = nn.MaxPool2D(pool_size=2, strides=2)
            self.dropout1 = nn.Dropout(0.25)
            self.conv3 = nn.Conv2D(100, kernel_size=3, padding=1, activation="relu")
            self.conv4 = nn.Conv2D(100, kernel_size=3, padding=1, activation="relu")
            self.pool2 = nn.MaxPool2D(pool_size=2, strides=2)
            self.dropout2 = nn.Dropout(0.25)
            self.hidden = nn.Dense(512, activation="relu")
            self.dropout3 = nn.Dropout(0.5)
            self.head = nn.Dense(10)

    def hybrid_forward(self, F, x):  # (batch, 3, 32, 32)
        x = self.conv2(self.conv1(x))
        x = self.dropout1(self.pool1(x))  # (batch, 50, 16, 16)
        x = self.conv4(self.conv3(x))
        x = self.dropout2(self.pool2(x))  # (batch, 100, 8, 8)
        x = self.dropout3(self.hidden(x))  # a dense layer flattens its input
        return self.head(x)


loss = gluon.loss.SoftmaxCrossEntropyLoss()

OPTIMIZERS = {
    "sgd": lambda parameters: gluon.Trainer(parameters, "sgd", {"learning_rate": 0.01, "momentum": 0.9}),
}
