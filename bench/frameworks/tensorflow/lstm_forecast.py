import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.lstm = [layers.LSTM(64, return_sequences=True), layers.LSTM(64)]
        self.head = layers.Dense(1)

    def call(self, x):  # (batch, 48, 8)
        for lstm in self.lstm:
            x = lstm(x)  # (batch, 48, 64), then (batch, 64): the last output
        return self.head(x)  # (batch, 1)


loss = tf.keras.losses.MeanSquaredError()

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
