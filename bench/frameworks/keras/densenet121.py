import keras
from keras import layers

GROWTH = 32


def batch_norm(name):
    return layers.BatchNormalization(momentum=0.99, epsilon=1.001e-5, name=name)


def dense_layer(x, name):
    new = layers.ReLU()(batch_norm(f"{name}_norm1")(x))
    new = layers.Conv2D(4 * GROWTH, 1, use_bias=False, name=f"{name}_conv1")(new)
    new = layers.ReLU()(batch_norm(f"{name}_norm2")(new))
    new = layers.Conv2D(GROWTH, 3, padding="same", use_bias=False, name=f"{name}_conv2")(new)
    return layers.Concatenate()([x, new])


def block(x, name, depth):
    for index in range(depth):
        x = dense_layer(x, f"{name}_{index}")
    return x


def transition(x, name):
    channels = x.shape[-1] // 2
    x = layers.ReLU()(batch_norm(f"{name}_norm")(x))
    x = layers.Conv2D(channels, 1, use_bias=False, name=f"{name}_conv")(x)
    return layers.AveragePooling2D(2)(x)


def Model():
    inputs = keras.Input((None, None, 3))  # (batch, 224, 224, 3)
    x = layers.ZeroPadding2D(3)(inputs)
    x = layers.Conv2D(64, 7, strides=2, padding="valid", use_bias=False, name="conv")(x)
    x = layers.ReLU()(batch_norm("norm")(x))
    x = layers.ZeroPadding2D(1)(x)
    x = layers.MaxPooling2D(3, strides=2)(x)  # (batch, 56, 56, 64)
    x = transition(block(x, "block1", depth=6), "transition1")  # (batch, 28, 28, 128)
    x = transition(block(x, "block2", depth=12), "transition2")  # (batch, 14, 14, 256)
    x = transition(block(x, "block3", depth=24), "transition3")  # (batch, 7, 7, 512)
    x = block(x, "block4", depth=16)  # (batch, 7, 7, 1024)
    x = layers.ReLU()(batch_norm("final_norm")(x))
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(14, name="head")(x))


loss = keras.losses.BinaryCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=1e-3, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
