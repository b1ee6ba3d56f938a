import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((32, 32, 3)),
            layers.Conv2D(50, 3, padding="same", activation="relu", name="conv1"),
            layers.Conv2D(50, 3, padding="same", activation="relu", name="conv2"),
            layers.MaxPooling2D(2),  # (batch, 16, 16, 50)
            layers.Dropout(0.25),
            layers.Conv2D(100, 3, padding="same", activation="relu", name="conv3"),
            layers.Conv2D(100, 3, padding="same", activation="relu", name="conv4"),
            layers.MaxPooling2D(2),  # (batch, 8, 8, 100)
            layers.Dropout(0.25),
            layers.Flatten(),
            layers.Dense(512, activation="relu", name="hidden"),
            layers.Dropout(0.5),
            layers.Dense(10, name="head"),
        ]
    )


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
}
