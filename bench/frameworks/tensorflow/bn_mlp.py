import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden1 = layers.Dense(256, activation="relu")
        self.norm1 = layers.BatchNormalization(momentum=0.99, epsilon=1e-3)
        self.dropout1 = layers.Dropout(0.5)
        self.hidden2 = layers.Dense(128, activation="relu")
        self.norm2 = layers.BatchNormalization(momentum=0.99, epsilon=1e-3)
        self.dropout2 = layers.Dropout(0.5)
        self.head = layers.Dense(10)

    def call(self, x):
        x = self.norm1(self.hidden1(x))
        x = self.dropout1(x)
        x = self.norm2(self.hidden2(x))
        x = self.dropout2(x)
        return self.head(x)


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
