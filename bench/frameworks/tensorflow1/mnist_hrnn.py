import tensorflow as tf


def lstm(x, name):
    cell = tf.nn.rnn_cell.BasicLSTMCell(128, forget_bias=1.0)
    _, state = tf.nn.dynamic_rnn(cell, x, dtype=tf.float32, scope=name)
    return state.h  # (batch, 128): the last output


def Model(x, training):  # (batch, 28, 28, 1)
    x = tf.reshape(x, [-1, 28, 1])  # (batch * 28, 28, 1): each row is a sequence
    x = lstm(x, name="row_lstm")
    x = tf.reshape(x, [-1, 28, 128])
    x = lstm(x, name="column_lstm")
    return tf.layers.dense(x, 10, name="head")


loss = tf.losses.sparse_softmax_cross_entropy


class RMSPropOptimizer(tf.train.RMSPropOptimizer):
    """TensorFlow's, but the mean square of gradients starts at 0: TensorFlow 1 starts it at 1."""

    def _create_slots(self, var_list):
        for variable in var_list:
            self._zeros_slot(variable, "rms", self._name)
            self._zeros_slot(variable, "momentum", self._name)


OPTIMIZERS = {
    # epsilon is added under the root: 1e-16 there is the workload's 1e-8 outside it.
    "rmsprop": lambda: RMSPropOptimizer(learning_rate=1e-3, decay=0.9, momentum=0.0, epsilon=1e-16),
}
