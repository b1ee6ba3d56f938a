from keras.layers import GRU, Dense, Embedding
from keras.models import Sequential
from keras.optimizers import Adam


def Model():
    model = Sequential()
    model.add(Embedding(30000, 125, input_length=150, name="embedding"))  # (batch, 150, 125)
    model.add(GRU(100, recurrent_activation="sigmoid", name="gru"))  # (batch, 100); the gates' default: hard_sigmoid
    model.add(Dense(2, activation="softmax", name="head"))
    return model


loss = "categorical_crossentropy"

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: Adam(lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
