from keras import layers
from keras.models import Model as KerasModel
from keras.optimizers import SGD, Adam


def conv_norm(x, filters, size, name, norm_name, strides=1, padding="valid"):
    x = layers.Conv2D(filters, size, strides=strides, padding=padding, name=name)(x)
    return layers.BatchNormalization(momentum=0.99, epsilon=1.001e-5, name=norm_name)(x)


def bottleneck(x, name, width, strides=1, has_shortcut=False):
    shortcut = x
    if has_shortcut:
        shortcut = conv_norm(x, 4 * width, 1, name + ".shortcut", name + ".shortcut_norm", strides)
    x = conv_norm(x, width, 1, name + ".conv1", name + ".norm1", strides)
    x = layers.Activation("relu")(x)
    x = conv_norm(x, width, 3, name + ".conv2", name + ".norm2", padding="same")
    x = layers.Activation("relu")(x)
    x = conv_norm(x, 4 * width, 1, name + ".conv3", name + ".norm3")
    return layers.Activation("relu")(layers.add([x, shortcut]))


def stage(x, name, width, blocks, strides):
    x = bottleneck(x, name + ".0", width, strides, has_shortcut=True)
    for index in range(1, blocks):
        x = bottleneck(x, "%s.%d" % (name, index), width)
    return x


def Model():
    inputs = layers.Input((None, None, 3))  # (batch, 224, 224, 3)
    x = layers.ZeroPadding2D(3)(inputs)
    x = conv_norm(x, 64, 7, "conv", "norm", strides=2)
    x = layers.Activation("relu")(x)
    x = layers.ZeroPadding2D(1)(x)
    x = layers.MaxPooling2D(3, strides=2)(x)  # (batch, 56, 56, 64)
    x = stage(x, "stage1", 64, blocks=3, strides=1)
    x = stage(x, "stage2", 128, blocks=4, strides=2)
    x = stage(x, "stage3", 256, blocks=6, strides=2)
    x = stage(x, "stage4", 512, blocks=3, strides=2)  # (batch, 7, 7, 2048)
    x = layers.GlobalAveragePooling2D()(x)
    return KerasModel(inputs, layers.Dense(120, activation="softmax", name="head")(x))


loss = "categorical_crossentropy"

OPTIMIZERS = {
    "sgd": lambda: SGD(lr=0.01, momentum=0.9),
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: Adam(lr=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
