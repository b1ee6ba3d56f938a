import tensorflow as tf


def conv_norm(x, filters, size, training, strides=1, padding="same", name="conv_norm"):
    with tf.variable_scope(name):
        x = tf.layers.conv2d(x, filters, size, strides, padding=padding, use_bias=False, name="conv")
        x = tf.layers.batch_normalization(x, momentum=0.99, epsilon=1e-3, scale=False, training=training, name="norm")
    return tf.nn.relu(x)


def chain(x, convs, training, name):
    for index, (filters, size) in enumerate(convs):
        x = conv_norm(x, filters, size, training, name="%s/%d" % (name, index))
    return x


def shrink(x, convs, training, name):
    """A chain whose last convolution strides."""
    x = chain(x, convs[:-1], training, name)
    filters, size = convs[-1]
    return conv_norm(x, filters, size, training, 2, "valid", name="%s/%d" % (name, len(convs) - 1))


def pool_branch(x, filters, training):
    x = tf.layers.average_pooling2d(x, 3, 1, padding="same")
    return conv_norm(x, filters, 1, training, name="branch_pool")


def inception_a(x, pooled, training, name):
    with tf.variable_scope(name):
        branches = [
            conv_norm(x, 64, 1, training, name="branch1x1"),
            chain(x, [(48, 1), (64, 5)], training, name="branch5x5"),
            chain(x, [(64, 1), (96, 3), (96, 3)], training, name="branch3x3dbl"),
            pool_branch(x, pooled, training),
        ]
    return tf.concat(branches, 3)


def reduction_a(x, training, name):
    with tf.variable_scope(name):
        branches = [
            conv_norm(x, 384, 3, training, 2, "valid", name="branch3x3"),
            shrink(x, [(64, 1), (96, 3), (96, 3)], training, name="branch3x3dbl"),
            tf.layers.max_pooling2d(x, 3, 2),
        ]
    return tf.concat(branches, 3)


def inception_b(x, width, training, name):
    row, column = (1, 7), (7, 1)
    double = [(width, 1), (width, column), (width, row), (width, column), (192, row)]
    with tf.variable_scope(name):
        branches = [
            conv_norm(x, 192, 1, training, name="branch1x1"),
            chain(x, [(width, 1), (width, row), (192, column)], training, name="branch7x7"),
            chain(x, double, training, name="branch7x7dbl"),
            pool_branch(x, 192, training),
        ]
    return tf.concat(branches, 3)


def reduction_b(x, training, name):
    with tf.variable_scope(name):
        branches = [
            shrink(x, [(192, 1), (320, 3)], training, name="branch3x3"),
            shrink(x, [(192, 1), (192, (1, 7)), (192, (7, 1)), (192, 3)], training, name="branch7x7x3"),
            tf.layers.max_pooling2d(x, 3, 2),
        ]
    return tf.concat(branches, 3)


def inception_c(x, training, name):
    with tf.variable_scope(name):
        single = conv_norm(x, 384, 1, training, name="branch3x3")
        double = chain(x, [(448, 1), (384, 3)], training, name="branch3x3dbl")
        branches = [
            conv_norm(x, 320, 1, training, name="branch1x1"),
            conv_norm(single, 384, (1, 3), training, name="branch3x3_row"),
            conv_norm(single, 384, (3, 1), training, name="branch3x3_column"),
            conv_norm(double, 384, (1, 3), training, name="branch3x3dbl_row"),
            conv_norm(double, 384, (3, 1), training, name="branch3x3dbl_column"),
            pool_branch(x, 192, training),
        ]
    return tf.concat(branches, 3)


def Model(x, training):  # (batch, 224, 224, 3); behind each block stands what TF-Slim's inception_v3 calls it
    x = conv_norm(x, 32, 3, training, 2, "valid", name="stem1")  # Conv2d_1a_3x3
    x = conv_norm(x, 32, 3, training, padding="valid", name="stem2")  # Conv2d_2a_3x3
    x = conv_norm(x, 64, 3, training, name="stem3")  # Conv2d_2b_3x3
    x = tf.layers.max_pooling2d(x, 3, 2)  # MaxPool_3a_3x3
    x = conv_norm(x, 80, 1, training, name="stem4")  # Conv2d_3b_1x1
    x = conv_norm(x, 192, 3, training, padding="valid", name="stem5")  # Conv2d_4a_3x3
    x = tf.layers.max_pooling2d(x, 3, 2)  # MaxPool_5a_3x3: (batch, 25, 25, 192)
    x = inception_a(x, 32, training, name="mixed0")  # Mixed_5b
    x = inception_a(x, 64, training, name="mixed1")  # Mixed_5c
    x = inception_a(x, 64, training, name="mixed2")  # Mixed_5d
    x = reduction_a(x, training, name="mixed3")  # Mixed_6a: (batch, 12, 12, 768)
    x = inception_b(x, 128, training, name="mixed4")  # Mixed_6b
    x = inception_b(x, 160, training, name="mixed5")  # Mixed_6c
    x = inception_b(x, 160, training, name="mixed6")  # Mixed_6d
    x = inception_b(x, 192, training, name="mixed7")  # Mixed_6e
    x = reduction_b(x, training, name="mixed8")  # Mixed_7a: (batch, 5, 5, 1280)
    x = inception_c(x, training, name="mixed9")  # Mixed_7b
    x = inception_c(x, training, name="mixed10")  # Mixed_7c: (batch, 5, 5, 2048)
    return tf.layers.dense(tf.reduce_mean(x, [1, 2]), 120, name="head")


loss = tf.losses.sparse_softmax_cross_entropy

OPTIMIZERS = {
    "sgd": lambda: tf.train.MomentumOptimizer(learning_rate=0.01, momentum=0.9),
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
