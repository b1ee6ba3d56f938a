import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(16, 8, strides=4, activation="relu")
        self.conv2 = layers.Conv2D(32, 3, activation="relu")
        self.conv3 = layers.Conv2D(64, 3, activation="relu")
        self.pool = layers.MaxPooling2D(2)
        self.flatten = layers.Flatten()
        self.head = layers.Dense(8)

    def call(self, x):  # (batch, 300, 300, 3)
        x = self.pool(self.conv1(x))  # (batch, 37, 37, 16)
        x = self.pool(self.conv2(x))  # (batch, 17, 17, 32)
        x = self.pool(self.conv3(x))  # (batch, 7, 7, 64)
        return self.head(self.flatten(x))


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: tf.keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
}
