import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((32, 32, 3)),
            layers.Conv2D(32, 3, padding="same", activation="relu", name="conv1"),
            layers.Conv2D(32, 3, padding="valid", activation="relu", name="conv2"),  # (batch, 30, 30, 32)
            layers.MaxPooling2D(2),  # (batch, 15, 15, 32)
            layers.Dropout(0.25),
            layers.Conv2D(64, 3, padding="same", activation="relu", name="conv3"),
            layers.Conv2D(64, 3, padding="valid", activation="relu", name="conv4"),  # (batch, 13, 13, 64)
            layers.MaxPooling2D(2),  # (batch, 6, 6, 64)
            layers.Dropout(0.25),
            layers.Flatten(),
            layers.Dense(512, activation="relu", name="hidden"),
            layers.Dropout(0.5),
            layers.Dense(10, name="head"),
        ]
    )


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras adds epsilon under the root: 1e-20 there is the workload's 1e-10 outside it.
    "rmsprop": lambda: keras.optimizers.RMSprop(learning_rate=1e-4, rho=0.9, epsilon=1e-20),
}
