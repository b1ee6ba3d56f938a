import tensorflow as tf
from tensorflow.keras import layers


class Bottleneck(layers.Layer):
    def __init__(self, width, strides=1, has_shortcut=False):
        super().__init__()
        self.conv1 = layers.Conv2D(width, 1, strides=strides)
        self.norm1 = batch_norm()
        self.conv2 = layers.Conv2D(width, 3, padding="same")
        self.norm2 = batch_norm()
        self.conv3 = layers.Conv2D(4 * width, 1)
        self.norm3 = batch_norm()
        self.shortcut = None
        if has_shortcut:
            self.shortcut = layers.Conv2D(4 * width, 1, strides=strides)
            self.shortcut_norm = batch_norm()

    def call(self, x):
        shortcut = x if self.shortcut is None else self.shortcut_norm(self.shortcut(x))
        x = tf.nn.relu(self.norm1(self.conv1(x)))
        x = tf.nn.relu(self.norm2(self.conv2(x)))
        x = self.norm3(self.conv3(x))
        return tf.nn.relu(x + shortcut)


def batch_norm():
    return layers.BatchNormalization(momentum=0.99, epsilon=1.001e-5)


def stage(width, blocks, strides):
    first = Bottleneck(width, strides, has_shortcut=True)
    return [first] + [Bottleneck(width) for _ in range(blocks - 1)]


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.pad = layers.ZeroPadding2D(3)
        self.conv = layers.Conv2D(64, 7, strides=2, padding="valid")
        self.norm = batch_norm()
        self.pool_pad = layers.ZeroPadding2D(1)
        self.pool = layers.MaxPooling2D(3, strides=2)
        self.stage1 = stage(64, blocks=3, strides=1)
        self.stage2 = stage(128, blocks=4, strides=2)
        self.stage3 = stage(256, blocks=6, strides=2)
        self.stage4 = stage(512, blocks=3, strides=2)
        self.average = layers.GlobalAveragePooling2D()

    def call(self, x):  # (batch, 224, 224, 3)
        x = tf.nn.relu(self.norm(self.conv(self.pad(x))))
        x = self.pool(self.pool_pad(x))  # (batch, 56, 56, 64)
        for block in self.stage1 + self.stage2 + self.stage3 + self.stage4:
            x = block(x)  # (batch, 7, 7, 2048) in the end
        return self.average(x)


loss = None  # inference only

OPTIMIZERS = {}
