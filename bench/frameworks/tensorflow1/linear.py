import tensorflow as tf


def Model(x, training):
    x = tf.layers.dense(x, 128, activation=tf.nn.relu, name="hidden")
    return tf.layers.dense(x, 10, name="head")


loss = tf.losses.sparse_softmax_cross_entropy

OPTIMIZERS = {
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
