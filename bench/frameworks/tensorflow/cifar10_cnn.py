import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(50, 3, padding="same", activation="relu")
        self.conv2 = layers.Conv2D(50, 3, padding="same", activation="relu")
        self.pool = layers.MaxPooling2D(2)
        self.dropout1 = layers.Dropout(0.25)
        self.conv3 = layers.Conv2D(100, 3, padding="same", activation="relu")
        self.conv4 = layers.Conv2D(100, 3, padding="same", activation="relu")
        self.dropout2 = layers.Dropout(0.25)
        self.flatten = layers.Flatten()
        self.hidden = layers.Dense(512, activation="relu")
        self.dropout3 = layers.Dropout(0.5)
        self.head = layers.Dense(10)

    def call(self, x):  # (batch, 32, 32, 3)
        x = self.conv2(self.conv1(x))
        x = self.dropout1(self.pool(x))  # (batch, 16, 16, 50)
        x = self.conv4(self.conv3(x))
        x = self.dropout2(self.pool(x))  # (batch, 8, 8, 100)
        x = self.hidden(self.flatten(x))
        return self.head(self.dropout3(x))


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: tf.keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
}
