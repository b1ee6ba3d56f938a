import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.hidden1 = layers.Dense(64, activation="tanh")
        self.hidden2 = layers.Dense(64, activation="tanh")
        self.hidden3 = layers.Dense(64, activation="tanh")
        self.head = layers.Dense(4)

    def call(self, x):
        for layer in (self.hidden1, self.hidden2, self.hidden3):
            x = layer(x)
        return self.head(x)


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: tf.keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
}
