import tensorflow as tf


def Model(x, training):  # (batch, 48, 8)
    cells = [tf.nn.rnn_cell.BasicLSTMCell(64, forget_bias=1.0) for _ in range(2)]
    cell = tf.nn.rnn_cell.MultiRNNCell(cells)
    state = cell.zero_state(tf.shape(x)[0], tf.float32)
    with tf.variable_scope("lstm"):
        for step in range(48):
            output, state = cell(x[:, step], state)
    return tf.layers.dense(output, 1, name="head")  # (batch, 1)


loss = tf.losses.mean_squared_error

OPTIMIZERS = {
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
