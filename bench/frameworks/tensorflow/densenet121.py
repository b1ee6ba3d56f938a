import tensorflow as tf
from tensorflow.keras import layers

GROWTH = 32


class DenseLayer(layers.Layer):
    def __init__(self):
        super().__init__()
        self.norm1 = batch_norm()
        self.conv1 = layers.Conv2D(4 * GROWTH, 1, use_bias=False)
        self.norm2 = batch_norm()
        self.conv2 = layers.Conv2D(GROWTH, 3, padding="same", use_bias=False)

    def call(self, x):
        new = self.conv1(tf.nn.relu(self.norm1(x)))
        new = self.conv2(tf.nn.relu(self.norm2(new)))
        return tf.concat([x, new], axis=-1)


class Transition(layers.Layer):
    def __init__(self, channels):
        super().__init__()
        self.norm = batch_norm()
        self.conv = layers.Conv2D(channels, 1, use_bias=False)
        self.pool = layers.AveragePooling2D(2)

    def call(self, x):
        x = self.conv(tf.nn.relu(self.norm(x)))
        return self.pool(x)


def batch_norm():
    return layers.BatchNormalization(momentum=0.99, epsilon=1.001e-5)


def block(depth):
    return [DenseLayer() for _ in range(depth)]


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.pad = layers.ZeroPadding2D(3)
        self.conv = layers.Conv2D(64, 7, strides=2, padding="valid", use_bias=False)
        self.norm = batch_norm()
        self.pool_pad = layers.ZeroPadding2D(1)
        self.pool = layers.MaxPooling2D(3, strides=2)
        self.block1 = block(depth=6)
        self.transition1 = Transition(128)
        self.block2 = block(depth=12)
        self.transition2 = Transition(256)
        self.block3 = block(depth=24)
        self.transition3 = Transition(512)
        self.block4 = block(depth=16)
        self.final_norm = batch_norm()
        self.average = layers.GlobalAveragePooling2D()
        self.head = layers.Dense(14)

    def call(self, x):  # (batch, 224, 224, 3)
        x = tf.nn.relu(self.norm(self.conv(self.pad(x))))
        x = self.pool(self.pool_pad(x))  # (batch, 56, 56, 64)
        for layer in self.block1 + [self.transition1]:
            x = layer(x)  # (batch, 28, 28, 128) in the end
        for layer in self.block2 + [self.transition2]:
            x = layer(x)  # (batch, 14, 14, 256)
        for layer in self.block3 + [self.transition3]:
            x = layer(x)  # (batch, 7, 7, 512)
        for layer in self.block4:
            x = layer(x)  # (batch, 7, 7, 1024)
        x = tf.nn.relu(self.final_norm(x))
        return self.head(self.average(x))


loss = tf.keras.losses.BinaryCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
