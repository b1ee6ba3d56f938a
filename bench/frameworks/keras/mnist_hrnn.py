import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.TimeDistributed(layers.LSTM(128), name="row_lstm"),  # (batch, 28, 128): each row's last output
            layers.LSTM(128, name="column_lstm"),  # (batch, 128)
            layers.Dense(10, name="head"),
        ]
    )


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras adds epsilon under the root: 1e-16 there is the workload's 1e-8 outside it.
    "rmsprop": lambda: keras.optimizers.RMSprop(learning_rate=1e-3, rho=0.9, epsilon=1e-16),
}
