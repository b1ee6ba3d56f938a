import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((150,), dtype="int32"),
            layers.Embedding(30_000, 125, name="embedding"),  # (batch, 150, 125)
            layers.GRU(100, reset_after=True, name="gru"),  # (batch, 100): the last output
            layers.Dense(2, name="head"),
        ]
    )


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


class Adam(keras.optimizers.Adam):
    def update_step(self, gradient, variable, learning_rate):
        # On TensorFlow the gradient of an embedding has a row for each word read, and Adam would square the rows of a
        # word that is read twice one by one, instead of their sum. Added to zeros, they are one.
        super().update_step(keras.ops.add(gradient, keras.ops.zeros(variable.shape)), variable, learning_rate)


OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
