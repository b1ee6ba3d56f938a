import tensorflow as tf
from tensorflow.keras import layers


def batch_norm():
    return layers.BatchNormalization(momentum=0.99, epsilon=1e-3)


class Block(layers.Layer):
    def __init__(self, inputs, outputs, size, expansion, strides=1):
        super().__init__()
        self.is_residual = strides == 1 and inputs == outputs
        width = expansion * inputs
        self.expand = None
        if expansion > 1:
            self.expand = layers.Conv2D(width, 1, use_bias=False)
            self.expand_norm = batch_norm()
        self.depthwise = layers.DepthwiseConv2D(size, strides=strides, padding="same", use_bias=False)
        self.depthwise_norm = batch_norm()
        self.average = layers.GlobalAveragePooling2D(keepdims=True)
        self.squeeze = layers.Conv2D(inputs // 4, 1, activation="swish")
        self.excite = layers.Conv2D(width, 1, activation="sigmoid")
        self.project = layers.Conv2D(outputs, 1, use_bias=False)
        self.project_norm = batch_norm()

    def call(self, x):
        shortcut = x
        if self.expand is not None:
            x = tf.nn.swish(self.expand_norm(self.expand(x)))
        x = tf.nn.swish(self.depthwise_norm(self.depthwise(x)))
        x = x * self.excite(self.squeeze(self.average(x)))
        x = self.project_norm(self.project(x))
        return x + shortcut if self.is_residual else x


def stage(inputs, outputs, blocks, size, expansion, strides):
    first = Block(inputs, outputs, size, expansion, strides)
    return [first] + [Block(outputs, outputs, size, expansion) for _ in range(blocks - 1)]


class Trunk(layers.Layer):
    def __init__(self):
        super().__init__()
        self.stem = layers.Conv2D(40, 3, strides=2, padding="same", use_bias=False)
        self.stem_norm = batch_norm()
        self.stage1 = stage(40, 24, blocks=2, size=3, expansion=1, strides=1)
        self.stage2 = stage(24, 32, blocks=3, size=3, expansion=6, strides=2)
        self.stage3 = stage(32, 48, blocks=3, size=5, expansion=6, strides=2)
        self.stage4 = stage(48, 96, blocks=5, size=3, expansion=6, strides=2)
        self.stage5 = stage(96, 136, blocks=5, size=5, expansion=6, strides=1)
        self.stage6 = stage(136, 232, blocks=6, size=5, expansion=6, strides=2)
        self.stage7 = stage(232, 384, blocks=2, size=3, expansion=6, strides=1)
        self.top = layers.Conv2D(1536, 1, use_bias=False)
        self.top_norm = batch_norm()

    def call(self, x):  # (batch, 300, 300, 3)
        x = tf.nn.swish(self.stem_norm(self.stem(x)))  # (batch, 150, 150, 40)
        for block in self.stage1 + self.stage2 + self.stage3 + self.stage4 + self.stage5 + self.stage6 + self.stage7:
            x = block(x)  # (batch, 10, 10, 384) in the end
        return tf.nn.swish(self.top_norm(self.top(x)))


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.trunk = Trunk()
        self.trunk.trainable = False
        self.average = layers.GlobalAveragePooling2D()
        self.head = layers.Dense(10)

    def call(self, x):
        # Its batch norms use their moving statistics in training, too; an eager tape would go on into it.
        x = tf.stop_gradient(self.trunk(x, training=False))
        return self.head(self.average(x))


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.keras.optimizers.Adam(learning_rate=0.01, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
