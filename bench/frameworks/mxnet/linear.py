from mxnet import gluon
from mxnet.gluon import nn


class Model(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Model, self).__init__(**kwargs)
        with self.name_scope():
            self.hidden = nn.Dense(128, activation="relu")
            self.head = nn.Dense(10)

    def hybrid_forward(self, F, x):
        return self.head(self.hidden(x))


loss = gluon.loss.SoftmaxCrossEntropyLoss()

OPTIMIZERS = {
    # MXNet's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda parameters: gluon.Trainer(
        parameters, "adam", {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    ),
}
