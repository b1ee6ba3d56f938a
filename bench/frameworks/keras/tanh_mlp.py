import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((32,)),
            layers.Dense(64, activation="tanh", name="hidden1"),
            layers.Dense(64, activation="tanh", name="hidden2"),
            layers.Dense(64, activation="tanh", name="hidden3"),
            layers.Dense(4, name="head"),
        ]
    )


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
}
