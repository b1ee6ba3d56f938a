import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(32, 3, padding="valid", activation="relu")
        self.conv2 = layers.Conv2D(64, 3, padding="valid", activation="relu")
        self.pool = layers.MaxPooling2D(2)
        self.dropout1 = layers.Dropout(0.25)
        self.flatten = layers.Flatten()
        self.hidden = layers.Dense(128, activation="relu")
        self.dropout2 = layers.Dropout(0.5)
        self.head = layers.Dense(10)

    def call(self, x):  # (batch, 28, 28, 1)
        x = self.conv2(self.conv1(x))  # (batch, 24, 24, 64)
        x = self.dropout1(self.pool(x))  # (batch, 12, 12, 64)
        x = self.hidden(self.flatten(x))
        return self.head(self.dropout2(x))


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "adadelta": lambda: tf.keras.optimizers.Adadelta(learning_rate=1.0, rho=0.95, epsilon=1e-8),
}
