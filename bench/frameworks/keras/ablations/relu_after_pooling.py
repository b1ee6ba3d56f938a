import keras
from keras import layers

from bench.ablations import changed


def Model():
    return keras.Sequential(
        [
            keras.Input((32, 32, 3)),
            layers.Conv2D(50, 3, padding="same", activation="relu", name="conv1"),
            layers.Conv2D(50, 3, padding="same", name="conv2"),
            layers.MaxPooling2D(2),
            layers.ReLU(),  # (batch, 16, 16, 50)
            layers.Dropout(0.25),
            layers.Conv2D(100, 3, padding="same", activation="relu", name="conv3"),
            layers.Conv2D(100, 3, padding="same", name="conv4"),
            layers.MaxPooling2D(2),
            layers.ReLU(),  # (batch, 8, 8, 100)
            layers.Dropout(0.25),
            layers.Flatten(),
            layers.Dense(512, activation="relu", name="hidden"),
            layers.Dropout(0.5),
            layers.Dense(10, name="head"),
        ]
    )


def vary(program, source):
    return program, changed(source, Model=Model)
