import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((28, 28, 1)),
            layers.Conv2D(32, 3, padding="valid", activation="relu", name="conv1"),
            layers.Conv2D(64, 3, padding="valid", activation="relu", name="conv2"),  # (batch, 24, 24, 64)
            layers.MaxPooling2D(2),  # (batch, 12, 12, 64)
            layers.Dropout(0.25),
            layers.Flatten(),
            layers.Dense(128, activation="relu", name="hidden"),
            layers.Dropout(0.5),
            layers.Dense(10, name="head"),
        ]
    )


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "adadelta": lambda: keras.optimizers.Adadelta(learning_rate=1.0, rho=0.95, epsilon=1e-8),
}
