import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.row_lstm = layers.LSTM(128)
        self.column_lstm = layers.LSTM(128)
        self.head = layers.Dense(10)

    def call(self, x):  # (batch, 28, 28, 1)
        x = tf.reshape(x, (-1, 28, 1))  # (batch * 28, 28, 1): each row is a sequence
        x = self.row_lstm(x)  # (batch * 28, 128): the last output
        x = tf.reshape(x, (-1, 28, 128))  # (batch, 28, 128)
        x = self.column_lstm(x)  # (batch, 128)
        return self.head(x)


loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras adds epsilon under the root: 1e-16 there acts as the workload's 1e-8 outside it, save for gradients near it.
    "rmsprop": lambda: tf.keras.optimizers.RMSprop(learning_rate=1e-3, rho=0.9, epsilon=1e-16),
}
