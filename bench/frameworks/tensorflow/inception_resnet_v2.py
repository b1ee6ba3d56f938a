import tensorflow as tf
from tensorflow.keras import layers


class ConvNorm(layers.Layer):
    def __init__(self, filters, size, strides=1, padding="same"):
        super().__init__()
        self.conv = layers.Conv2D(filters, size, strides=strides, padding=padding, use_bias=False)
        self.norm = layers.BatchNormalization(momentum=0.99, epsilon=1e-3, scale=False)

    def call(self, x):
        return tf.nn.relu(self.norm(self.conv(x)))


def chain(x, parts):
    for part in parts:
        x = part(x)
    return x


def max_pool(x):
    return tf.nn.max_pool2d(x, 3, strides=2, padding="VALID")


class Mixed5b(layers.Layer):
    def __init__(self):
        super().__init__()
        self.branch1x1 = ConvNorm(96, 1)
        self.branch5x5 = [ConvNorm(48, 1), ConvNorm(64, 5)]
        self.branch3x3dbl = [ConvNorm(64, 1), ConvNorm(96, 3), ConvNorm(96, 3)]
        self.branch_pool = ConvNorm(64, 1)

    def call(self, x):
        branches = [
            self.branch1x1(x),
            chain(x, self.branch5x5),
            chain(x, self.branch3x3dbl),
            self.branch_pool(tf.nn.avg_pool2d(x, 3, strides=1, padding="SAME")),
        ]
        return tf.concat(branches, axis=-1)


class Block35(layers.Layer):
    def __init__(self):
        super().__init__()
        self.branch1x1 = ConvNorm(32, 1)
        self.branch3x3 = [ConvNorm(32, 1), ConvNorm(32, 3)]
        self.branch3x3dbl = [ConvNorm(32, 1), ConvNorm(48, 3), ConvNorm(64, 3)]
        self.up = layers.Conv2D(320, 1)

    def call(self, x):
        branches = [self.branch1x1(x), chain(x, self.branch3x3), chain(x, self.branch3x3dbl)]
        return tf.nn.relu(x + 0.17 * self.up(tf.concat(branches, axis=-1)))


class Mixed6a(layers.Layer):
    def __init__(self):
        super().__init__()
        self.branch3x3 = ConvNorm(384, 3, strides=2, padding="valid")
        self.branch3x3dbl = [ConvNorm(256, 1), ConvNorm(256, 3), ConvNorm(384, 3, strides=2, padding="valid")]

    def call(self, x):
        return tf.concat([self.branch3x3(x), chain(x, self.branch3x3dbl), max_pool(x)], axis=-1)


class Block17(layers.Layer):
    def __init__(self):
        super().__init__()
        self.branch1x1 = ConvNorm(192, 1)
        self.branch7x7 = [ConvNorm(128, 1), ConvNorm(160, (1, 7)), ConvNorm(192, (7, 1))]
        self.up = layers.Conv2D(1088, 1)

    def call(self, x):
        branches = [self.branch1x1(x), chain(x, self.branch7x7)]
        return tf.nn.relu(x + 0.1 * self.up(tf.concat(branches, axis=-1)))


class Mixed7a(layers.Layer):
    def __init__(self):
        super().__init__()
        self.branch3x3a = [ConvNorm(256, 1), ConvNorm(384, 3, strides=2, padding="valid")]
        self.branch3x3b = [ConvNorm(256, 1), ConvNorm(288, 3, strides=2, padding="valid")]
        self.branch3x3dbl = [ConvNorm(256, 1), ConvNorm(288, 3), ConvNorm(320, 3, strides=2, padding="valid")]

    def call(self, x):
        branches = [
            chain(x, self.branch3x3a),
            chain(x, self.branch3x3b),
            chain(x, self.branch3x3dbl),
            max_pool(x),
        ]
        return tf.concat(branches, axis=-1)


class Block8(layers.Layer):
    def __init__(self, scale=0.2, activation=tf.nn.relu):
        super().__init__()
        self.branch1x1 = ConvNorm(192, 1)
        self.branch3x3 = [ConvNorm(192, 1), ConvNorm(224, (1, 3)), ConvNorm(256, (3, 1))]
        self.up = layers.Conv2D(2080, 1)
        self.scale = scale
        self.activation = activation

    def call(self, x):
        branches = [self.branch1x1(x), chain(x, self.branch3x3)]
        return self.activation(x + self.scale * self.up(tf.concat(branches, axis=-1)))


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.stem1 = ConvNorm(32, 3, strides=2, padding="valid")
        self.stem2 = ConvNorm(32, 3, padding="valid")
        self.stem3 = ConvNorm(64, 3)
        self.stem4 = ConvNorm(80, 1)
        self.stem5 = ConvNorm(192, 3, padding="valid")
        self.mixed_5b = Mixed5b()
        self.block35 = [Block35() for _ in range(10)]
        self.mixed_6a = Mixed6a()
        self.block17 = [Block17() for _ in range(20)]
        self.mixed_7a = Mixed7a()
        self.block8 = [Block8() for _ in range(9)] + [Block8(scale=1.0, activation=tf.identity)]
        self.conv_7b = ConvNorm(1536, 1)
        self.average = layers.GlobalAveragePooling2D()
        self.head = layers.Dense(120)

    def call(self, x):  # (batch, 224, 224, 3)
        x = self.stem3(self.stem2(self.stem1(x)))
        x = self.stem5(self.stem4(max_pool(x)))
        x = self.mixed_5b(max_pool(x))
        x = chain(x, self.block35)  # (batch, 25, 25, 320)
        x = self.mixed_6a(x)
        x = chain(x, self.block17)  # (batch, 12, 12, 1088)
        x = self.mixed_7a(x)
        x = chain(x, self.block8)  # (batch, 5, 5, 2080)
        x = self.conv_7b(x)
        return self.head(self.average(x))


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: tf.keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
