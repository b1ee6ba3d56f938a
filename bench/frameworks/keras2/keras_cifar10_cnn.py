from keras import backend as K
from keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from keras.models import Sequential
from keras.optimizers import RMSprop


def Model():
    input_shape = (3, 32, 32) if K.image_data_format() == "channels_first" else (32, 32, 3)
    model = Sequential()
    model.add(Conv2D(32, (3, 3), padding="same", activation="relu", input_shape=input_shape, name="conv1"))
    model.add(Conv2D(32, (3, 3), activation="relu", name="conv2"))  # 30 x 30
    model.add(MaxPooling2D(pool_size=(2, 2)))  # 15 x 15
    model.add(Dropout(0.25))

    model.add(Conv2D(64, (3, 3), padding="same", activation="relu", name="conv3"))
    model.add(Conv2D(64, (3, 3), activation="relu", name="conv4"))  # 13 x 13
    model.add(MaxPooling2D(pool_size=(2, 2)))  # 6 x 6
    model.add(Dropout(0.25))

    model.add(Flatten())
    model.add(Dense(512, activation="relu", name="hidden"))
    model.add(Dropout(0.5))
    model.add(Dense(10, activation="softmax", name="head"))
    return model


loss = "categorical_crossentropy"

OPTIMIZERS = {
    "rmsprop": lambda: RMSprop(lr=0.0001, rho=0.9, epsilon=1e-10),
}
