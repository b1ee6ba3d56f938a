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


def average_pool(x):
    return F.avg_pool2d(x, 3, stride=1, padding=1, exclusive=True)


def max_pool(x):
    return F.max_pool2d(x, 3, stride=2)


class InceptionA(nn.Layer):
    def __init__(self, inputs, pooled):
        super().__init__()
        self.branch1x1 = ConvNorm(inputs, 64, 1)
        self.branch5x5 = nn.Sequential(ConvNorm(inputs, 48, 1), ConvNorm(48, 64, 5))
        self.branch3x3dbl = nn.Sequential(ConvNorm(inputs, 64, 1), ConvNorm(64, 96, 3), ConvNorm(96, 96, 3))
        self.branch_pool = ConvNorm(inputs, pooled, 1)

    def forward(self, x):
        pooled = self.branch_pool(average_pool(x))
        return paddle.concat([self.branch1x1(x), self.branch5x5(x), self.branch3x3dbl(x), pooled], axis=1)


class ReductionA(nn.Layer):
    def __init__(self, inputs):
        super().__init__()
        self.branch3x3 = ConvNorm(inputs, 384, 3, stride=2, padding="valid")
        self.branch3x3dbl = nn.Sequential(
            ConvNorm(inputs, 64, 1),
            ConvNorm(64, 96, 3),
            ConvNorm(96, 96, 3, stride=2, padding="valid"),
        )

    def forward(self, x):
        return paddle.concat([self.branch3x3(x), self.branch3x3dbl(x), max_pool(x)], axis=1)


class InceptionB(nn.Layer):
    def __init__(self, inputs, width):
        super().__init__()
        self.branch1x1 = ConvNorm(inputs, 192, 1)
        self.branch7x7 = nn.Sequential(
            ConvNorm(inputs, width, 1),
            ConvNorm(width, width, (1, 7)),
            ConvNorm(width, 192, (7, 1)),
        )
        self.branch7x7dbl = nn.Sequential(
            ConvNorm(inputs, width, 1),
            ConvNorm(width, width, (7, 1)),
            ConvNorm(width, width, (1, 7)),
            ConvNorm(width, width, (7, 1)),
            ConvNorm(width, 192, (1, 7)),
        )
        self.branch_pool = ConvNorm(inputs, 192, 1)

    def forward(self, x):
        pooled = self.branch_pool(average_pool(x))
        return paddle.concat([self.branch1x1(x), self.branch7x7(x), self.branch7x7dbl(x), pooled], axis=1)


class ReductionB(nn.Layer):
    def __init__(self, inputs):
        super().__init__()
        self.branch3x3 = nn.Sequential(
            ConvNorm(inputs, 192, 1),
            ConvNorm(192, 320, 3, stride=2, padding="valid"),
        )
        self.branch7x7x3 = nn.Sequential(
            ConvNorm(inputs, 192, 1),
            ConvNorm(192, 192, (1, 7)),
            ConvNorm(192, 192, (7, 1)),
            ConvNorm(192, 192, 3, stride=2, padding="valid"),
        )

    def forward(self, x):
        return paddle.concat([self.branch3x3(x), self.branch7x7x3(x), max_pool(x)], axis=1)


class InceptionC(nn.Layer):
    def __init__(self, inputs):
        super().__init__()
        self.branch1x1 = ConvNorm(inputs, 320, 1)
        self.branch3x3 = ConvNorm(inputs, 384, 1)
        self.branch3x3_row = ConvNorm(384, 384, (1, 3))
        self.branch3x3_column = ConvNorm(384, 384, (3, 1))
        self.branch3x3dbl = nn.Sequential(ConvNorm(inputs, 448, 1), ConvNorm(448, 384, 3))
        self.branch3x3dbl_row = ConvNorm(384, 384, (1, 3))
        self.branch3x3dbl_column = ConvNorm(384, 384, (3, 1))
        self.branch_pool = ConvNorm(inputs, 192, 1)

    def forward(self, x):
        single = self.branch3x3(x)
        double = self.branch3x3dbl(x)
        branches = [
            self.branch1x1(x),
            self.branch3x3_row(single),
            self.branch3x3_column(single),
            self.branch3x3dbl_row(double),
            self.branch3x3dbl_column(double),
            self.branch_pool(average_pool(x)),
        ]
        return paddle.concat(branches, axis=1)


class Model(nn.Layer):
    def __init__(self):
        super().__init__()
        self.stem1 = ConvNorm(3, 32, 3, stride=2, padding="valid")
        self.stem2 = ConvNorm(32, 32, 3, padding="valid")
        self.stem3 = ConvNorm(32, 64, 3)
        self.stem4 = ConvNorm(64, 80, 1)
        self.stem5 = ConvNorm(80, 192, 3, padding="valid")
        self.mixed0 = InceptionA(192, pooled=32)
        self.mixed1 = InceptionA(256, pooled=64)
        self.mixed2 = InceptionA(288, pooled=64)
        self.mixed3 = ReductionA(288)
        self.mixed4 = InceptionB(768, width=128)
        self.mixed5 = InceptionB(768, width=160)
        self.mixed6 = InceptionB(768, width=160)
        self.mixed7 = InceptionB(768, width=192)
        self.mixed8 = ReductionB(768)
        self.mixed9 = InceptionC(1280)
        self.mixed10 = InceptionC(2048)
        self.head = nn.Linear(2048, 120)

    def forward(self, x):  # (batch, 3, 224, 224)
        x = self.stem3(self.stem2(self.stem1(x)))
        x = self.stem5(self.stem4(max_pool(x)))
        x = max_pool(x)  # (batch, 192, 25, 25)
        x = self.mixed2(self.mixed1(self.mixed0(x)))
        x = self.mixed3(x)  # (batch, 768, 12, 12)
        x = self.mixed7(self.mixed6(self.mixed5(self.mixed4(x))))
        x = self.mixed8(x)  # (batch, 1280, 5, 5)
        x = self.mixed10(self.mixed9(x))  # (batch, 2048, 5, 5)
        x = x.mean(axis=[2, 3])
        return self.head(x)


loss = F.cross_entropy

OPTIMIZERS = {
    "sgd": lambda parameters: paddle.optimizer.Momentum(0.01, momentum=0.9, parameters=parameters),
    "adam": lambda parameters: paddle.optimizer.Adam(1e-3, beta1=0.9, beta2=0.999, epsilon=1e-7, parameters=parameters),
}
