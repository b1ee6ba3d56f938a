import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((150,), dtype="int32"),
            layers.Embedding(30_000, 125, name="embedding"),  # (batch, 150, 125)
            layers.GRU(100, reset_after=False, name="gru"),  # (batch, 100): the last output
            layers.Dense(2, name="head"),
        ]
    )


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)


OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
