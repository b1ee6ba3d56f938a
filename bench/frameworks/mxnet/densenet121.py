from mxnet import gluon
from mxnet.gluon import nn

GROWTH = 32


class DenseLayer(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(DenseLayer, self).__init__(**kwargs)
        with self.name_scope():
            self.norm1 = batch_norm()
            self.conv1 = nn.Conv2D(4 * GROWTH, kernel_size=1, use_bias=False)
            self.norm2 = batch_norm()
            self.conv2 = nn.Conv2D(GROWTH, kernel_size=3, padding=1, use_bias=False)

    def hybrid_forward(self, F, x):
        new = self.conv1(F.Activation(self.norm1(x), act_type="relu"))
        new = self.conv2(F.Activation(self.norm2(new), act_type="relu"))
        return F.concat(x, new, dim=1)


class Transition(gluon.HybridBlock):
    def __init__(self, outputs, **kwargs):
        super(Transition, self).__init__(**kwargs)
        with self.name_scope():
            self.norm = batch_norm()
            self.conv = nn.Conv2D(outputs, kernel_size=1, use_bias=False)
            self.pool = nn.AvgPool2D(pool_size=2, strides=2)

    def hybrid_forward(self, F, x):
        return self.pool(self.conv(F.Activation(self.norm(x), act_type="relu")))


def batch_norm():
    return nn.BatchNorm(epsilon=1.001e-5, momentum=0.99)


def block(depth):
    layers = nn.HybridSequential()
    with layers.name_scope():
        for _ in range(depth):
            layers.add(DenseLayer())
    return layers


class Model(gluon.HybridBlock):
    def __init__(self, **kwargs):
        super(Model, self).__init__(**kwargs)
        with self.name_scope():
            self.conv = nn.Conv2D(64, kernel_size=7, strides=2, padding=3, use_bias=False)
            self.norm = batch_norm()
            self.pool = nn.MaxPool2D(pool_size=3, strides=2, padding=1)
            self.block1 = block(depth=6)
            self.transition1 = Transition(128)
            self.block2 = block(depth=12)
            self.transition2 = Transition(256)
            self.block3 = block(depth=24)
            self.transition3 = Transition(512)
            self.block4 = block(depth=16)
            self.final_norm = batch_norm()
            self.features = nn.GlobalAvgPool2D()
            self.head = nn.Dense(14)

    def hybrid_forward(self, F, x):  # (batch, 3, 224, 224)
        x = F.Activation(self.norm(self.conv(x)), act_type="relu")
        x = self.pool(x)  # (batch, 64, 56, 56)
        x = self.transition1(self.block1(x))  # (batch, 128, 28, 28)
        x = self.transition2(self.block2(x))  # (batch, 256, 14, 14)
        x = self.transition3(self.block3(x))  # (batch, 512, 7, 7)
        x = F.Activation(self.final_norm(self.block4(x)), act_type="relu")  # (batch, 1024, 7, 7)
        return self.head(self.features(x))


loss = gluon.loss.SigmoidBinaryCrossEntropyLoss()

OPTIMIZERS = {
    # MXNet's epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta2^t), which is 1e-7 at step 10.
    "adam": lambda parameters: gluon.Trainer(
        parameters, "adam", {"learning_rate": 0.001, "beta1": 0.9, "beta2": 0.999, "epsilon": 1e-8}
    ),
}
