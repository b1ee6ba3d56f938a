from keras.layers import LSTM, Dense, Input, TimeDistributed
from keras.models import Model as KerasModel
from keras.optimizers import RMSprop


def Model():
    x = Input(shape=(28, 28, 1))
    # The gates' default was hard_sigmoid.
    encoded_rows = TimeDistributed(LSTM(128, recurrent_activation="sigmoid"), name="row_lstm")(x)  # (batch, 28, 128)
    encoded_columns = LSTM(128, recurrent_activation="sigmoid", name="column_lstm")(encoded_rows)  # (batch, 128)
    prediction = Dense(10, activation="softmax", name="head")(encoded_columns)
    return KerasModel(x, prediction)


loss = "categorical_crossentropy"

OPTIMIZERS = {
    "rmsprop": lambda: RMSprop(lr=0.001, rho=0.9, epsilon=1e-8),
}
