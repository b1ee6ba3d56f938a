import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((48, 8)),
            layers.LSTM(64, return_sequences=True, name="lstm_0"),  # (batch, 48, 64)
            layers.LSTM(64, name="lstm_1"),  # (batch, 64): the last output
            layers.Dense(1, name="head"),
        ]
    )


loss = keras.losses.MeanSquaredError()

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
