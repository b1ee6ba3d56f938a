import keras
from keras import layers


def block(x, name, filters, convs):
    for index in range(convs):
        x = layers.Conv2D(filters, 3, padding="same", activation="relu", name=f"{name}_{index}")(x)
    return layers.MaxPooling2D(2)(x)


def Model():
    inputs = keras.Input((224, 224, 3))
    x = block(inputs, "block1", 64, convs=2)
    x = block(x, "block2", 128, convs=2)
    x = block(x, "block3", 256, convs=4)
    x = block(x, "block4", 512, convs=4)
    x = block(x, "block5", 512, convs=4)
    x = layers.Flatten()(x)  # (batch, 25088), from (batch, 7, 7, 512)
    x = layers.Dense(4096, activation="relu", name="hidden1")(x)
    x = layers.Dense(4096, activation="relu", name="hidden2")(x)
    return keras.Model(inputs, layers.Dense(120, name="head")(x))


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
