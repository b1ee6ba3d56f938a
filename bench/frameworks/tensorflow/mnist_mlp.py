import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden1 = layers.Dense(512, activation="relu")
        self.dropout1 = layers.Dropout(0.2)
        self.hidden2 = layers.Dense(512, activation="relu")
        self.dropout2 = layers.Dropout(0.2)
        self.head = layers.Dense(10)

    def call(self, x):
        x = self.dropout1(self.hidden1(x))
        x = self.dropout2(self.hidden2(x))
        return self.head(x)


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras adds epsilon under the root: 1e-20 there is the workload's 1e-10 outside it.
    "rmsprop": lambda: tf.keras.optimizers.RMSprop(learning_rate=1e-3, rho=0.9, epsilon=1e-20),
}
