import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = layers.Conv2D(32, 3, padding="same", activation="relu")
        self.conv2 = layers.Conv2D(32, 3, padding="valid", activation="relu")
        self.pool = layers.MaxPooling2D(2)
        self.dropout1 = layers.Dropout(0.25)
        self.conv3 = layers.Conv2D(64, 3, padding="same", activation="relu")
        self.conv4 = layers.Conv2D(64, 3, padding="valid", activation="relu")
        self.dropout2 = layers.Dropout(0.25)
        self.flatten = layers.Flatten()
        self.hidden = layers.Dense(512, activation="relu")
        self.dropout3 = layers.Dropout(0.5)
        self.head = layers.Dense(10)

    def call(self, x):  # (batch, 32, 32, 3)
        x = self.conv2(self.conv1(x))  # (batch, 30, 30, 32)
        x = self.dropout1(self.pool(x))  # (batch, 15, 15, 32)
        x = self.conv4(self.conv3(x))  # (batch, 13, 13, 64)
        x = self.dropout2(self.pool(x))  # (batch, 6, 6, 64)
        x = self.hidden(self.flatten(x))
        return self.head(self.dropout3(x))


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras adds epsilon under the root: 1e-20 there is the workload's 1e-10 outside it.
    "rmsprop": lambda: tf.keras.optimizers.RMSprop(learning_rate=1e-4, rho=0.9, epsilon=1e-20),
}
