import tensorflow as tf


def Model(x, training):  # (batch, 32, 32, 3)
    x = tf.layers.conv2d(x, 50, 3, padding="same", activation=tf.nn.relu, name="conv1")
    x = tf.layers.conv2d(x, 50, 3, padding="same", activation=tf.nn.relu, name="conv2")
    x = tf.layers.max_pooling2d(x, 2, 2)  # (batch, 16, 16, 50)
    x = tf.layers.dropout(x, rate=0.25, training=training)

    x = tf.layers.conv2d(x, 100, 3, padding="same", activation=tf.nn.relu, name="conv3")
    x = tf.layers.conv2d(x, 100, 3, padding="same", activation=tf.nn.relu, name="conv4")
    x = tf.layers.max_pooling2d(x, 2, 2)  # (batch, 8, 8, 100)
    x = tf.layers.dropout(x, rate=0.25, training=training)

    x = tf.reshape(x, [-1, 8 * 8 * 100])
    x = tf.layers.dense(x, 512, activation=tf.nn.relu, name="hidden")
    x = tf.layers.dropout(x, rate=0.5, training=training)
    return tf.layers.dense(x, 10, name="head")


loss = tf.losses.sparse_softmax_cross_entropy

OPTIMIZERS = {
    "sgd": lambda: tf.train.MomentumOptimizer(learning_rate=0.01, momentum=0.9),
}
