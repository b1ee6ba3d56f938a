import keras
from keras import layers


def batch_norm(name):
    return layers.BatchNormalization(momentum=0.99, epsilon=1e-3, name=name)


def swish(x):
    return layers.Activation("swish")(x)


def block(x, name, outputs, size, expansion, strides=1):
    inputs, shortcut = x.shape[-1], x
    width = expansion * inputs
    if expansion > 1:
        x = layers.Conv2D(width, 1, use_bias=False, name=f"{name}_expand")(x)
        x = swish(batch_norm(f"{name}_expand_norm")(x))
    x = layers.DepthwiseConv2D(size, strides=strides, padding="same", use_bias=False, name=f"{name}_depthwise")(x)
    x = swish(batch_norm(f"{name}_depthwise_norm")(x))
    gate = layers.GlobalAveragePooling2D(keepdims=True)(x)
    gate = layers.Conv2D(inputs // 4, 1, activation="swish", name=f"{name}_squeeze")(gate)
    gate = layers.Conv2D(width, 1, activation="sigmoid", name=f"{name}_excite")(gate)
    x = layers.Multiply()([x, gate])
    x = layers.Conv2D(outputs, 1, use_bias=False, name=f"{name}_project")(x)
    x = batch_norm(f"{name}_project_norm")(x)
    return layers.Add()([x, shortcut]) if strides == 1 and inputs == outputs else x


def stage(x, name, outputs, blocks, size, expansion, strides):
    x = block(x, f"{name}_0", outputs, size, expansion, strides)
    for index in range(1, blocks):
        x = block(x, f"{name}_{index}", outputs, size, expansion)
    return x


def Trunk():
    inputs = keras.Input((None, None, 3))  # (batch, 300, 300, 3)
    x = layers.Conv2D(40, 3, strides=2, padding="same", use_bias=False, name="trunk_stem")(inputs)
    x = swish(batch_norm("trunk_stem_norm")(x))  # (batch, 150, 150, 40)
    x = stage(x, "trunk_stage1", 24, blocks=2, size=3, expansion=1, strides=1)
    x = stage(x, "trunk_stage2", 32, blocks=3, size=3, expansion=6, strides=2)  # (batch, 75, 75, 32)
    x = stage(x, "trunk_stage3", 48, blocks=3, size=5, expansion=6, strides=2)  # (batch, 38, 38, 48)
    x = stage(x, "trunk_stage4", 96, blocks=5, size=3, expansion=6, strides=2)
    x = stage(x, "trunk_stage5", 136, blocks=5, size=5, expansion=6, strides=1)  # (batch, 19, 19, 136)
    x = stage(x, "trunk_stage6", 232, blocks=6, size=5, expansion=6, strides=2)
    x = stage(x, "trunk_stage7", 384, blocks=2, size=3, expansion=6, strides=1)  # (batch, 10, 10, 384)
    x = layers.Conv2D(1536, 1, use_bias=False, name="trunk_top")(x)
    x = swish(batch_norm("trunk_top_norm")(x))
    return keras.Model(inputs, x, name="trunk")


def Model():
    base_model = Trunk()
    base_model.trainable = False
    inputs = keras.Input((None, None, 3))
    x = base_model(inputs, training=False)  # its batch norms use their moving statistics in training, too
    x = layers.GlobalAveragePooling2D()(x)
    return keras.Model(inputs, layers.Dense(10, name="head")(x))


loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

OPTIMIZERS = {
    # Keras' epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: keras.optimizers.Adam(learning_rate=0.01, beta_1=0.9, beta_2=0.999, epsilon=1e-8),
}
