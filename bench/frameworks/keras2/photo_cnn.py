from keras import backend as K
from keras.layers import Conv2D, Dense, Flatten, MaxPooling2D
from keras.models import Sequential
from keras.optimizers import SGD


def Model():
    input_shape = (3, 300, 300) if K.image_data_format() == "channels_first" else (300, 300, 3)
    model = Sequential()
    model.add(Conv2D(16, (8, 8), strides=(4, 4), activation="relu", input_shape=input_shape, name="conv1"))
    model.add(MaxPooling2D(pool_size=(2, 2)))  # 37 x 37
    model.add(Conv2D(32, (3, 3), activation="relu", name="conv2"))
    model.add(MaxPooling2D(pool_size=(2, 2)))  # 17 x 17
    model.add(Conv2D(64, (3, 3), activation="relu", name="conv3"))
    model.add(MaxPooling2D(pool_size=(2, 2)))  # 7 x 7
    model.add(Flatten())
    model.add(Dense(8, activation="softmax", name="head"))
    return model


loss = "categorical_crossentropy"

OPTIMIZERS = {
    "sgd": lambda: SGD(lr=0.01, momentum=0.9),
}
