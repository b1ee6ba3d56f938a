import tensorflow as tf
from tensorflow.keras import layers


class Model(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.lstm = [layers.LSTMCell(64), layers.LSTMCell(64)]
        self.head = layers.Dense(1)

    def call(self, x):  # (batch, 48, 8)
        first, second = self.lstm
        states1 = first.get_initial_state(tf.shape(x)[0])
        states2 = second.get_initial_state(tf.shape(x)[0])
        for step in range(x.shape[1]):
            output, states1 = first(x[:, step], states1)
            output, states2 = second(output, states2)
        return self.head(output)  # (batch, 1)


loss = tf.keras.losses.MeanSquaredError()

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
