from keras.layers import Dense
from keras.models import Sequential
from keras.optimizers import Adam


def Model():
    model = Sequential()
    model.add(Dense(128, activation="relu", input_shape=(100,), name="hidden"))
    model.add(Dense(10, activation="softmax", name="head"))
    return model


loss = "categorical_crossentropy"

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: Adam(lr=0.001, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
