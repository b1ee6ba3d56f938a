import paddle
import paddle.nn.functional as F
from paddle import nn

# For parity alone: the scale stays 1, as Keras has none here. Frozen, it takes the offset's gradient away (upstream/).
ONE = paddle.ParamAttr(initializer=nn.initializer.Constant(1.0), learning_rate=0.0)


class ConvNorm(nn.Layer):
    def __init__(self, inputs, outputs, size, stride=1, padding="same"):
        super().__init__()
        self.conv = nn.Conv2D(inputs, outputs, size, stride=stride, padding=padding, bias_attr=False)
        self.norm = nn.BatchNorm2D(outputs, epsilon=1e-3, momentum=0.99, weight_attr=ONE)

    def forward(self, x):
        return F.relu(self.norm(self.conv(x)))


def max_pool(x):
    return F.max_pool2d(x, 3, stride=2)


class Mixed5b(nn.Layer):
    def __init__(self):
        super().__init__()
        self.branch1x1 = ConvNorm(192, 96, 1)
        self.branch5x5 = nn.Sequential(ConvNorm(192, 48, 1), ConvNorm(48, 64, 5))
        self.branch3x3dbl = nn.Sequential(ConvNorm(192, 64, 1), ConvNorm(64, 96, 3), ConvNorm(96, 96, 3))
        self.branch_pool = ConvNorm(192, 64, 1)

    def forward(self, x):
        pooled = self.branch_pool(F.avg_pool2d(x, 3, stride=1, padding=1, exclusive=True))
        return paddle.concat([self.branch1x1(x), self.branch5x5(x), self.branch3x3dbl(x), pooled], axis=1)


class Block35(nn.Layer):
    def __init__(self):
        super().__init__()
        self.branch1x1 = ConvNorm(320, 32, 1)
        self.branch3x3 = nn.Sequential(ConvNorm(320, 32, 1), ConvNorm(32, 32, 3))
        self.branch3x3dbl = nn.Sequential(ConvNorm(320, 32, 1), ConvNorm(32, 48, 3), ConvNorm(48, 64, 3))
        self.up = nn.Conv2D(128, 320, 1)

    def forward(self, x):
        mixed = paddle.concat([self.branch1x1(x), self.branch3x3(x), self.branch3x3dbl(x)], axis=1)
        return F.relu(x + 0.17 * self.up(mixed))


class Mixed6a(nn.Layer):
    def __init__(self):
        super().__init__()
        self.branch3x3 = ConvNorm(320, 384, 3, stride=2, padding="valid")
        self.branch3x3dbl = nn.Sequential(
            ConvNorm(320, 256, 1),
            ConvNorm(256, 256, 3),
            ConvNorm(256, 384, 3, stride=2, padding="valid"),
        )

    def forward(self, x):
        return paddle.concat([self.branch3x3(x), self.branch3x3dbl(x), max_pool(x)], axis=1)


class Block17(nn.Layer):
    def __init__(self):
        super().__init__()
        self.branch1x1 = ConvNorm(1088, 192, 1)
        self.branch7x7 = nn.Sequential(
            ConvNorm(1088, 128, 1),
            ConvNorm(128, 160, (1, 7)),
            ConvNorm(160, 192, (7, 1)),
        )
        self.up = nn.Conv2D(384, 1088, 1)

    def forward(self, x):
        mixed = paddle.concat([self.branch1x1(x), self.branch7x7(x)], axis=1)
        return F.relu(x + 0.1 * self.up(mixed))


class Mixed7a(nn.Layer):
    def __init__(self):
        super().__init__()
        self.branch3x3a = nn.Sequential(ConvNorm(1088, 256, 1), ConvNorm(256, 384, 3, stride=2, padding="valid"))
        self.branch3x3b = nn.Sequential(ConvNorm(1088, 256, 1), ConvNorm(256, 288, 3, stride=2, padding="valid"))
        self.branch3x3dbl = nn.Sequential(
            ConvNorm(1088, 256, 1),
            ConvNorm(256, 288, 3),
            ConvNorm(288, 320, 3, stride=2, padding="valid"),
        )

    def forward(self, x):
        return paddle.concat([self.branch3x3a(x), self.branch3x3b(x), self.branch3x3dbl(x), max_pool(x)], axis=1)


class Block8(nn.Layer):
    def __init__(self, scale=0.2, activation=nn.ReLU):
        super().__init__()
        self.branch1x1 = ConvNorm(2080, 192, 1)
        self.branch3x3 = nn.Sequential(
            ConvNorm(2080, 192, 1),
            ConvNorm(192, 224, (1, 3)),
            ConvNorm(224, 256, (3, 1)),
        )
        self.up = nn.Conv2D(448, 2080, 1)
        self.scale = scale
        self.activation = activation()

    def forward(self, x):
        mixed = paddle.concat([self.branch1x1(x), self.branch3x3(x)], axis=1)
        return self.activation(x + self.scale * self.up(mixed))


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.stem1 = ConvNorm(3, 32, 3, stride=2, padding="valid")
        self.stem2 = ConvNorm(32, 32, 3, padding="valid")
        self.stem3 = ConvNorm(32, 64, 3)
        self.stem4 = ConvNorm(64, 80, 1)
        self.stem5 = ConvNorm(80, 192, 3, padding="valid")
        self.mixed_5b = Mixed5b()
        self.block35 = nn.Sequential(*(Block35() for _ in range(10)))
        self.mixed_6a = Mixed6a()
        self.block17 = nn.Sequential(*(Block17() for _ in range(20)))
        self.mixed_7a = Mixed7a()
        self.block8 = nn.Sequential(*(Block8() for _ in range(9)), Block8(scale=1.0, activation=nn.Identity))
        self.conv_7b = ConvNorm(2080, 1536, 1)
        self.head = nn.Linear(1536, 120)

    def forward(self, x):  # (batch, 3, 224, 224)
        x = self.stem3(self.stem2(self.stem1(x)))
        x = self.stem5(self.stem4(max_pool(x)))
        x = self.mixed_5b(max_pool(x))
        x = self.block35(x)  # (batch, 320, 25, 25)
        x = self.mixed_6a(x)
        x = self.block17(x)  # (batch, 1088, 12, 12)
        x = self.mixed_7a(x)
        x = self.block8(x)  # (batch, 2080, 5, 5)
        x = self.conv_7b(x)
        x = x.mean(axis=[2, 3])
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "sgd": lambda parameters: paddle.optimizer.Momentum(0.01, momentum=0.9, parameters=parameters),
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
