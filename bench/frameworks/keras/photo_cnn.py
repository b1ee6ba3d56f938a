import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((300, 300, 3)),
            layers.Conv2D(16, 8, strides=4, activation="relu", name="conv1"),
            layers.MaxPooling2D(2),  # (batch, 37, 37, 16)
            layers.Conv2D(32, 3, activation="relu", name="conv2"),
            layers.MaxPooling2D(2),  # (batch, 17, 17, 32)
            layers.Conv2D(64, 3, activation="relu", name="conv3"),
            layers.MaxPooling2D(2),  # (batch, 7, 7, 64)
            layers.Flatten(),
            layers.Dense(8, name="head"),
        ]
    )


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
}
