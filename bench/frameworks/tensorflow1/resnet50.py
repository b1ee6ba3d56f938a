import tensorflow as tf


def conv_norm(x, filters, size, training, strides=1, padding="same", names=("conv", "norm")):
    conv, norm = names
    x = tf.layers.conv2d(x, filters, size, strides, padding=padding, name=conv)
    return tf.layers.batch_normalization(x, momentum=0.99, epsilon=1.001e-5, training=training, name=norm)


def bottleneck(x, width, training, strides, has_shortcut):
    shortcut = x
    if has_shortcut:
        shortcut = conv_norm(x, 4 * width, 1, training, strides, names=("shortcut", "shortcut_norm"))
    x = tf.nn.relu(conv_norm(x, width, 1, training, strides, names=("conv1", "norm1")))
    x = tf.nn.relu(conv_norm(x, width, 3, training, names=("conv2", "norm2")))
    x = conv_norm(x, 4 * width, 1, training, names=("conv3", "norm3"))
    return tf.nn.relu(x + shortcut)


def stage(x, width, training, blocks, strides, name):
    for block in range(blocks):
        with tf.variable_scope("%s/%d" % (name, block)):
            x = bottleneck(x, width, training, strides if block == 0 else 1, has_shortcut=block == 0)
    return x


def pad(x, margin):
    return tf.pad(x, [[0, 0], [margin, margin], [margin, margin], [0, 0]])


def Model(x, training):  # (batch, 224, 224, 3)
    x = tf.nn.relu(conv_norm(pad(x, 3), 64, 7, training, strides=2, padding="valid"))
    x = tf.layers.max_pooling2d(pad(x, 1), 3, 2)  # (batch, 56, 56, 64)
    x = stage(x, 64, training, blocks=3, strides=1, name="stage1")
    x = stage(x, 128, training, blocks=4, strides=2, name="stage2")
    x = stage(x, 256, training, blocks=6, strides=2, name="stage3")
    x = stage(x, 512, training, blocks=3, strides=2, name="stage4")  # (batch, 7, 7, 2048)
    return tf.layers.dense(tf.reduce_mean(x, [1, 2]), 120, name="head")


loss = tf.losses.sparse_softmax_cross_entropy

OPTIMIZERS = {
    "sgd": lambda: tf.train.MomentumOptimizer(learning_rate=0.01, momentum=0.9),
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
