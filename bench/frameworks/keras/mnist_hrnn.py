import keras
from keras import layers, ops


def Model():
    inputs = keras.Input((28, 28, 1))
    x = ops.reshape(inputs, (-1, 28, 1))  # (batch * 28, 28, 1): each row is a sequence; TimeDistributed would loop
    x = layers.LSTM(128, name="row_lstm")(x)  # (batch * 28, 128): the last output
    x = ops.reshape(x, (-1, 28, 128))  # (batch, 28, 128)
    x = layers.LSTM(128, name="column_lstm")(x)  # (batch, 128)
    return keras.Model(inputs, layers.Dense(10, name="head")(x))


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras adds epsilon under the root: 1e-16 there acts as the workload's 1e-8 outside it, save for gradients near it.
    "rmsprop": lambda: keras.optimizers.RMSprop(learning_rate=1e-3, rho=0.9, epsilon=1e-16),
}
