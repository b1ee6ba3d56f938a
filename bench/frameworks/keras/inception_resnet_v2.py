import keras
from keras import layers


def conv_norm(x, name, filters, size, strides=1, padding="same"):
    x = layers.Conv2D(filters, size, strides=strides, padding=padding, use_bias=False, name=f"{name}_conv")(x)
    x = layers.BatchNormalization(momentum=0.99, epsilon=1e-3, scale=False, name=f"{name}_norm")(x)
    return layers.ReLU()(x)


def chain(x, name, *convs):
    for index, conv in enumerate(convs):  # filters, size, and strides and padding where they are not 1 and "same"
        x = conv_norm(x, f"{name}_{index}", *conv)
    return x


def mixed_5b(x, name="mixed_5b"):
    pooled = layers.AveragePooling2D(3, strides=1, padding="same")(x)
    branches = [
        conv_norm(x, f"{name}_branch1x1", 96, 1),
        chain(x, f"{name}_branch5x5", (48, 1), (64, 5)),
        chain(x, f"{name}_branch3x3dbl", (64, 1), (96, 3), (96, 3)),
        conv_norm(pooled, f"{name}_branch_pool", 64, 1),
    ]
    return layers.Concatenate()(branches)


def add_residual(x, branches, name, scale):
    residual = layers.Concatenate()(branches)
    residual = layers.Conv2D(x.shape[-1], 1, name=f"{name}_up")(residual)
    return x + scale * residual


def block35(x, name):
    branches = [
        conv_norm(x, f"{name}_branch1x1", 32, 1),
        chain(x, f"{name}_branch3x3", (32, 1), (32, 3)),
        chain(x, f"{name}_branch3x3dbl", (32, 1), (48, 3), (64, 3)),
    ]
    return layers.ReLU()(add_residual(x, branches, name, scale=0.17))


def mixed_6a(x, name="mixed_6a"):
    branches = [
        conv_norm(x, f"{name}_branch3x3", 384, 3, strides=2, padding="valid"),
        chain(x, f"{name}_branch3x3dbl", (256, 1), (256, 3), (384, 3, 2, "valid")),
        layers.MaxPooling2D(3, strides=2)(x),
    ]
    return layers.Concatenate()(branches)


def block17(x, name):
    branches = [
        conv_norm(x, f"{name}_branch1x1", 192, 1),
        chain(x, f"{name}_branch7x7", (128, 1), (160, (1, 7)), (192, (7, 1))),
    ]
    return layers.ReLU()(add_residual(x, branches, name, scale=0.1))


def mixed_7a(x, name="mixed_7a"):
    branches = [
        chain(x, f"{name}_branch3x3a", (256, 1), (384, 3, 2, "valid")),
        chain(x, f"{name}_branch3x3b", (256, 1), (288, 3, 2, "valid")),
        chain(x, f"{name}_branch3x3dbl", (256, 1), (288, 3), (320, 3, 2, "valid")),
        layers.MaxPooling2D(3, strides=2)(x),
    ]
    return layers.Concatenate()(branches)


def block8(x, name, scale=0.2):
    branches = [
        conv_norm(x, f"{name}_branch1x1", 192, 1),
        chain(x, f"{name}_branch3x3", (192, 1), (224, (1, 3)), (256, (3, 1))),
    ]
    return add_residual(x, branches, name, scale)


def Model():
    inputs = keras.Input((None, None, 3))  # (batch, 224, 224, 3)
    x = conv_norm(inputs, "stem1", 32, 3, strides=2, padding="valid")
    x = conv_norm(x, "stem2", 32, 3, padding="valid")
    x = conv_norm(x, "stem3", 64, 3)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = conv_norm(x, "stem4", 80, 1)
    x = conv_norm(x, "stem5", 192, 3, padding="valid")
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = mixed_5b(x)
    for index in range(10):
        x = block35(x, f"block35_{index}")  # (batch, 25, 25, 320)
    x = mixed_6a(x)
    for index in range(20):
        x = block17(x, f"block17_{index}")  # (batch, 12, 12, 1088)
    x = mixed_7a(x)
    for index in range(9):
        x = layers.ReLU()(block8(x, f"block8_{index}"))  # (batch, 5, 5, 2080)
    x = block8(x, "block8_9", scale=1.0)
    x = conv_norm(x, "conv_7b", 1536, 1)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(120, name="head")(x))


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
