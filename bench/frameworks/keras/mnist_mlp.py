import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((784,)),
            layers.Dense(512, activation="relu", name="hidden1"),
            layers.Dropout(0.2),
            layers.Dense(512, activation="relu", name="hidden2"),
            layers.Dropout(0.2),
            layers.Dense(10, name="head"),
        ]
    )


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras adds epsilon under the root: 1e-20 there is the workload's 1e-10 outside it.
    "rmsprop": lambda: keras.optimizers.RMSprop(learning_rate=1e-3, rho=0.9, epsilon=1e-20),
}
