from keras import backend as K
from keras.layers import Conv2D, Dense, Dropout, Flatten, MaxPooling2D
from keras.models import Sequential
from keras.optimizers import SGD


def Model():
    input_shape = (3, 32, 32) if K.image_data_format() == "channels_first" else (32, 32, 3)
    model = Sequential()
    model.add(Conv2D(50, (3, 3), padding="same", activation="relu", input_shape=input_shape, name="conv1"))
    model.add(Conv2D(50, (3, 3), padding="same", activation="relu", name="conv2"))
    model.add(MaxPooling2D(pool_size=(2, 2)))  # 16 x 16
    model.add(Dropout(0.25))

    model.add(Conv2D(100, (3, 3), padding="same", activation="relu", name="conv3"))
    model.add(Conv2D(100, (3, 3), padding="same", activation="relu", name="conv4"))
    model.add(MaxPooling2D(pool_size=(2, 2)))  # 8 x 8
    model.add(Dropout(0.25))

    model.add(Flatten())
    model.add(Dense(512, activation="relu", name="hidden"))
    model.add(Dropout(0.5))
    model.add(Dense(10, activation="softmax", name="head"))
    return model


loss = "categorical_crossentropy"

OPTIMIZERS = {
    "sgd": lambda: SGD(lr=0.01, momentum=0.9),
}
