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


def pool_branch(x, name, filters):
    x = layers.AveragePooling2D(3, strides=1, padding="same")(x)
    return conv_norm(x, name, filters, 1)


def inception_a(x, name, pooled):
    branches = [
        conv_norm(x, f"{name}_branch1x1", 64, 1),
        chain(x, f"{name}_branch5x5", (48, 1), (64, 5)),
        chain(x, f"{name}_branch3x3dbl", (64, 1), (96, 3), (96, 3)),
        pool_branch(x, f"{name}_branch_pool", pooled),
    ]
    return layers.Concatenate()(branches)


def reduction_a(x, name):
    branches = [
        conv_norm(x, f"{name}_branch3x3", 384, 3, strides=2, padding="valid"),
        chain(x, f"{name}_branch3x3dbl", (64, 1), (96, 3), (96, 3, 2, "valid")),
        layers.MaxPooling2D(3, strides=2)(x),
    ]
    return layers.Concatenate()(branches)


def inception_b(x, name, width):
    row, column = (1, 7), (7, 1)
    branches = [
        conv_norm(x, f"{name}_branch1x1", 192, 1),
        chain(x, f"{name}_branch7x7", (width, 1), (width, row), (192, column)),
        chain(x, f"{name}_branch7x7dbl", (width, 1), (width, column), (width, row), (width, column), (192, row)),
        pool_branch(x, f"{name}_branch_pool", 192),
    ]
    return layers.Concatenate()(branches)


def reduction_b(x, name):
    branches = [
        chain(x, f"{name}_branch3x3", (192, 1), (320, 3, 2, "valid")),
        chain(x, f"{name}_branch7x7x3", (192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3, 2, "valid")),
        layers.MaxPooling2D(3, strides=2)(x),
    ]
    return layers.Concatenate()(branches)


def inception_c(x, name):
    single = conv_norm(x, f"{name}_branch3x3", 384, 1)
    double = chain(x, f"{name}_branch3x3dbl", (448, 1), (384, 3))
    branches = [
        conv_norm(x, f"{name}_branch1x1", 320, 1),
        conv_norm(single, f"{name}_branch3x3_row", 384, (1, 3)),
        conv_norm(single, f"{name}_branch3x3_column", 384, (3, 1)),
        conv_norm(double, f"{name}_branch3x3dbl_row", 384, (1, 3)),
        conv_norm(double, f"{name}_branch3x3dbl_column", 384, (3, 1)),
        pool_branch(x, f"{name}_branch_pool", 192),
    ]
    return layers.Concatenate()(branches)


def Model():
    inputs = keras.Input((None, None, 3))  # (batch, 224, 224, 3)
    x = conv_norm(inputs, "stem1", 32, 3, strides=2, padding="valid")
    x = conv_norm(x, "stem2", 32, 3, padding="valid")
    x = conv_norm(x, "stem3", 64, 3)
    x = layers.MaxPooling2D(3, strides=2)(x)
    x = conv_norm(x, "stem4", 80, 1)
    x = conv_norm(x, "stem5", 192, 3, padding="valid")
    x = layers.MaxPooling2D(3, strides=2)(x)  # (batch, 25, 25, 192)
    x = inception_a(x, "mixed0", pooled=32)
    x = inception_a(x, "mixed1", pooled=64)
    x = inception_a(x, "mixed2", pooled=64)
    x = reduction_a(x, "mixed3")  # (batch, 12, 12, 768)
    x = inception_b(x, "mixed4", width=128)
    x = inception_b(x, "mixed5", width=160)
    x = inception_b(x, "mixed6", width=160)
    x = inception_b(x, "mixed7", width=192)
    x = reduction_b(x, "mixed8")  # (batch, 5, 5, 1280)
    x = inception_c(x, "mixed9")
    x = inception_c(x, "mixed10")  # (batch, 5, 5, 2048)
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(120, name="head")(x))


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    "sgd": lambda: keras.optimizers.SGD(learning_rate=0.01, momentum=0.9),
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
