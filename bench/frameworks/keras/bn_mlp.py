import keras
from keras import layers


def Model():
    return keras.Sequential(
        [
            keras.Input((100,)),
            layers.Dense(256, activation="relu", name="hidden1"),
            layers.BatchNormalization(momentum=0.99, epsilon=1e-3, name="norm1"),
            layers.Dropout(0.5),
            layers.Dense(128, activation="relu", name="hidden2"),
            layers.BatchNormalization(momentum=0.99, epsilon=1e-3, name="norm2"),
            layers.Dropout(0.5),
            layers.Dense(10, name="head"),
        ]
    )


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
