from keras.layers import Dense, Dropout
from keras.models import Sequential
from keras.optimizers import RMSprop


def Model():
    model = Sequential()
    model.add(Dense(512, activation="relu", input_shape=(784,), name="hidden1"))
    model.add(Dropout(0.2))
    model.add(Dense(512, activation="relu", name="hidden2"))
    model.add(Dropout(0.2))
    model.add(Dense(10, activation="softmax", name="head"))
    return model


loss = "categorical_crossentropy"

OPTIMIZERS = {
    "rmsprop": lambda: RMSprop(lr=0.001, rho=0.9, epsilon=1e-10),
}
