import math

import tensorflow as tf

WORDS, LENGTH, WIDTH, HEADS = 5000, 64, 128, 4


def gelu(x):
    return 0.5 * x * (1.0 + tf.erf(x / math.sqrt(2.0)))


def layer_norm(x, name):
    """Layer norm of single ops: contrib's has an epsilon of 1e-12, and takes no other."""
    with tf.variable_scope(name):
        scale = tf.get_variable("scale", [WIDTH], initializer=tf.ones_initializer())
        offset = tf.get_variable("offset", [WIDTH], initializer=tf.zeros_initializer())
    mean, variance = tf.nn.moments(x, [2], keep_dims=True)
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-5)


def split_heads(x):
    x = tf.reshape(x, [-1, LENGTH, HEADS, WIDTH // HEADS])
    return tf.transpose(x, [0, 2, 1, 3])  # (batch, heads, 64, width of a head)


def attention(x):
    with tf.variable_scope("attention"):
        query, key, value = (split_heads(tf.layers.dense(x, WIDTH, name=name)) for name in ("query", "key", "value"))
        scores = tf.matmul(query, key, transpose_b=True) / math.sqrt(WIDTH // HEADS)
        x = tf.transpose(tf.matmul(tf.nn.softmax(scores), value), [0, 2, 1, 3])
        return tf.layers.dense(tf.reshape(x, [-1, LENGTH, WIDTH]), WIDTH, name="out")


def block(x, name):
    with tf.variable_scope(name):
        x += attention(layer_norm(x, name="norm1"))
        new = tf.layers.dense(layer_norm(x, name="norm2"), 512, activation=gelu, name="expand")
        return x + tf.layers.dense(new, WIDTH, name="contract")


def table(words, name):
    with tf.variable_scope(name):
        return tf.get_variable("table", [words, WIDTH])


def Model(x, training):  # (batch, 64)
    x = tf.nn.embedding_lookup(table(WORDS, name="embedding"), x)  # (batch, 64, 128)
    x += table(LENGTH, name="position")
    for index in range(2):
        x = block(x, name="blocks/%d" % index)
    x = layer_norm(x, name="norm")
    return tf.layers.dense(tf.reduce_mean(x, 1), 2, name="head")


loss = tf.losses.sparse_softmax_cross_entropy

OPTIMIZERS = {
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
