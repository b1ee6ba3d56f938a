import tensorflow as tf


def batch_norm(x, training, name):
    return tf.layers.batch_normalization(x, momentum=0.99, epsilon=1e-3, training=training, name=name)


def Model(x, training):
    x = tf.layers.dense(x, 256, activation=tf.nn.relu, name="hidden1")
    x = batch_norm(x, training, name="norm1")
    x = tf.layers.dropout(x, rate=0.5, training=training)
    x = tf.layers.dense(x, 128, activation=tf.nn.relu, name="hidden2")
    x = batch_norm(x, training, name="norm2")
    x = tf.layers.dropout(x, rate=0.5, training=training)
    return tf.layers.dense(x, 10, name="head")


loss = tf.losses.sparse_softmax_cross_entropy

OPTIMIZERS = {
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
