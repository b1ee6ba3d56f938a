import tensorflow as tf
from tensorflow.keras import layers


class ConvNorm(layers.Layer):
    def __init__(self, filters, size, strides=1, padding="same"):
        super().__init__()
        self.conv = layers.Conv2D(filters, size, strides=strides, padding=padding, use_bias=False)
        self.norm = layers.BatchNormalization(momentum=0.99, epsilon=1e-3, scale=False)

    def call(self, x):
        return tf.nn.relu(self.norm(self.conv(x)))


def chain(x, convs):
    for conv in convs:
        x = conv(x)
    return x


def average_pool(x):
    return tf.nn.avg_pool2d(x, 3, strides=1, padding="SAME")


def max_pool(x):
    return tf.nn.max_pool2d(x, 3, strides=2, padding="VALID")


class InceptionA(layers.Layer):
    def __init__(self, pooled):
        super().__init__()
        self.branch1x1 = ConvNorm(64, 1)
        self.branch5x5 = [ConvNorm(48, 1), ConvNorm(64, 5)]
        self.branch3x3dbl = [ConvNorm(64, 1), ConvNorm(96, 3), ConvNorm(96, 3)]
        self.branch_pool = ConvNorm(pooled, 1)

    def call(self, x):
        branches = [
            self.branch1x1(x),
            chain(x, self.branch5x5),
            chain(x, self.branch3x3dbl),
            self.branch_pool(average_pool(x)),
        ]
        return tf.concat(branches, axis=-1)


class ReductionA(layers.Layer):
    def __init__(self):
        super().__init__()
        self.branch3x3 = ConvNorm(384, 3, strides=2, padding="valid")
        self.branch3x3dbl = [ConvNorm(64, 1), ConvNorm(96, 3), ConvNorm(96, 3, strides=2, padding="valid")]

    def call(self, x):
        return tf.concat([self.branch3x3(x), chain(x, self.branch3x3dbl), max_pool(x)], axis=-1)


class InceptionB(layers.Layer):
    def __init__(self, width):
        super().__init__()
        self.branch1x1 = ConvNorm(192, 1)
        self.branch7x7 = [ConvNorm(width, 1), ConvNorm(width, (1, 7)), ConvNorm(192, (7, 1))]
        self.branch7x7dbl = [
            ConvNorm(width, 1),
            ConvNorm(width, (7, 1)),
            ConvNorm(width, (1, 7)),
            ConvNorm(width, (7, 1)),
            ConvNorm(192, (1, 7)),
        ]
        self.branch_pool = ConvNorm(192, 1)

    def call(self, x):
        branches = [
            self.branch1x1(x),
            chain(x, self.branch7x7),
            chain(x, self.branch7x7dbl),
            self.branch_pool(average_pool(x)),
        ]
        return tf.concat(branches, axis=-1)


class ReductionB(layers.Layer):
    def __init__(self):
        super().__init__()
        self.branch3x3 = [ConvNorm(192, 1), ConvNorm(320, 3, strides=2, padding="valid")]
        self.branch7x7x3 = [
            ConvNorm(192, 1),
            ConvNorm(192, (1, 7)),
            ConvNorm(192, (7, 1)),
            ConvNorm(192, 3, strides=2, padding="valid"),
        ]

    def call(self, x):
        return tf.concat([chain(x, self.branch3x3), chain(x, self.branch7x7x3), max_pool(x)], axis=-1)


class InceptionC(layers.Layer):
    def __init__(self):
        super().__init__()
        self.branch1x1 = ConvNorm(320, 1)
        self.branch3x3 = ConvNorm(384, 1)
        self.branch3x3_row = ConvNorm(384, (1, 3))
        self.branch3x3_column = ConvNorm(384, (3, 1))
        self.branch3x3dbl = [ConvNorm(448, 1), ConvNorm(384, 3)]
        self.branch3x3dbl_row = ConvNorm(384, (1, 3))
        self.branch3x3dbl_column = ConvNorm(384, (3, 1))
        self.branch_pool = ConvNorm(192, 1)

    def call(self, x):
        single = self.branch3x3(x)
        double = chain(x, self.branch3x3dbl)
        branches = [
            self.branch1x1(x),
            self.branch3x3_row(single),
            self.branch3x3_column(single),
            self.branch3x3dbl_row(double),
            self.branch3x3dbl_column(double),
            self.branch_pool(average_pool(x)),
        ]
        return tf.concat(branches, axis=-1)


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.stem1 = ConvNorm(32, 3, strides=2, padding="valid")
        self.stem2 = ConvNorm(32, 3, padding="valid")
        self.stem3 = ConvNorm(64, 3)
        self.stem4 = ConvNorm(80, 1)
        self.stem5 = ConvNorm(192, 3, padding="valid")
        self.mixed0 = InceptionA(pooled=32)
        self.mixed1 = InceptionA(pooled=64)
        self.mixed2 = InceptionA(pooled=64)
        self.mixed3 = ReductionA()
        self.mixed4 = InceptionB(width=128)
        self.mixed5 = InceptionB(width=160)
        self.mixed6 = InceptionB(width=160)
        self.mixed7 = InceptionB(width=192)
        self.mixed8 = ReductionB()
        self.mixed9 = InceptionC()
        self.mixed10 = InceptionC()
        self.average = layers.GlobalAveragePooling2D()
        self.head = layers.Dense(120)

    def call(self, x):  # (batch, 224, 224, 3)
        x = self.stem3(self.stem2(self.stem1(x)))
        x = self.stem5(self.stem4(max_pool(x)))
        x = max_pool(x)  # (batch, 25, 25, 192)
        x = self.mixed2(self.mixed1(self.mixed0(x)))
        x = self.mixed3(x)  # (batch, 12, 12, 768)
        x = self.mixed7(self.mixed6(self.mixed5(self.mixed4(x))))
        x = self.mixed8(x)  # (batch, 5, 5, 1280)
        x = self.mixed10(self.mixed9(x))  # (batch, 5, 5, 2048)
        return self.head(self.average(x))


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: tf.keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
