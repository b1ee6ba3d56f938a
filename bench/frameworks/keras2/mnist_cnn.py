from keras import backend as K
from keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from keras.models import Sequential
from keras.optimizers import Adadelta


def Model():
    input_shape = (1, 28, 28) if K.image_data_format() == "channels_first" else (28, 28, 1)
    model = Sequential()
    model.add(Conv2D(32, kernel_size=(3, 3), activation="relu", input_shape=input_shape, name="conv1"))
    model.add(Conv2D(64, (3, 3), activation="relu", name="conv2"))  # 24 x 24
    model.add(MaxPooling2D(pool_size=(2, 2)))  # 12 x 12
    model.add(Dropout(0.25))
    model.add(Flatten())
    model.add(Dense(128, activation="relu", name="hidden"))
    model.add(Dropout(0.5))
    model.add(Dense(10, activation="softmax", name="head"))
    return model


loss = "categorical_crossentropy"

OPTIMIZERS = {
    "adadelta": lambda: Adadelta(lr=1.0, rho=0.95, epsilon=1e-8),
}
