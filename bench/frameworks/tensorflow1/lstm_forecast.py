import tensorflow as tf


def Model(x, training):  # (batch, 48, 8)
    cells = [tf.nn.rnn_cell.BasicLSTMCell(64, forget_bias=1.0) for _ in range(2)]
    cell = tf.nn.rnn_cell.MultiRNNCell(cells)
    outputs, _ = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, scope="lstm")  # (batch, 48, 64)
    return tf.layers.dense(outputs[:, -1], 1, name="head")  # (batch, 1)


loss = tf.losses.mean_squared_error

OPTIMIZERS = {
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
