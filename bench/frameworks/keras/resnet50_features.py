import keras
from keras import layers


def batch_norm(name):
    return layers.BatchNormalization(momentum=0.99, epsilon=1.001e-5, name=name)


def bottleneck(x, name, width, strides=1, has_shortcut=False):
    shortcut = x
    if has_shortcut:
        shortcut = layers.Conv2D(4 * width, 1, strides=strides, name=f"{name}_shortcut")(x)
        shortcut = batch_norm(f"{name}_shortcut_norm")(shortcut)
    x = layers.Conv2D(width, 1, strides=strides, name=f"{name}_conv1")(x)
    x = layers.ReLU()(batch_norm(f"{name}_norm1")(x))
    x = layers.Conv2D(width, 3, padding="same", name=f"{name}_conv2")(x)
    x = layers.ReLU()(batch_norm(f"{name}_norm2")(x))
    x = layers.Conv2D(4 * width, 1, name=f"{name}_conv3")(x)
    x = batch_norm(f"{name}_norm3")(x)
    return layers.ReLU()(layers.Add()([x, shortcut]))


def stage(x, name, width, blocks, strides):
    x = bottleneck(x, f"{name}_0", width, strides, has_shortcut=True)
    for index in range(1, blocks):
        x = bottleneck(x, f"{name}_{index}", width)
    return x


def Model():
    inputs = keras.Input((None, None, 3))  # (batch, 224, 224, 3)
    x = layers.ZeroPadding2D(3)(inputs)
    x = layers.Conv2D(64, 7, strides=2, padding="valid", name="conv")(x)
    x = layers.ReLU()(batch_norm("norm")(x))
    x = layers.ZeroPadding2D(1)(x)
    x = layers.MaxPooling2D(3, strides=2)(x)  # (batch, 56, 56, 64)
    x = stage(x, "stage1", 64, blocks=3, strides=1)
    x = stage(x, "stage2", 128, blocks=4, strides=2)
    x = stage(x, "stage3", 256, blocks=6, strides=2)
    x = stage(x, "stage4", 512, blocks=3, strides=2)  # (batch, 7, 7, 2048)
    return keras.Model(inputs, layers.GlobalAveragePooling2D()(x))


loss = None  # inference only

OPTIMIZERS = {}
