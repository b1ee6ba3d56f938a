import tensorflow as tf


def Model(x, training):  # (batch, 28, 28, 1)
    x = tf.layers.conv2d(x, 32, 3, padding="valid", activation=tf.nn.relu, name="conv1")
    x = tf.layers.conv2d(x, 64, 3, padding="valid", activation=tf.nn.relu, name="conv2")  # (batch, 24, 24, 64)
    x = tf.layers.max_pooling2d(x, 2, 2)  # (batch, 12, 12, 64)
    x = tf.layers.dropout(x, rate=0.25, training=training)
    x = tf.reshape(x, [-1, 12 * 12 * 64])
    x = tf.layers.dense(x, 128, activation=tf.nn.relu, name="hidden")
    x = tf.layers.dropout(x, rate=0.5, training=training)
    return tf.layers.dense(x, 10, name="head")


loss = tf.losses.sparse_softmax_cross_entropy


class AdadeltaOptimizer(tf.train.Optimizer):
    """Adadelta of single ops: tf.train's steps by up to 1.4 times as much (upstream/adadelta.py)."""

    def __init__(self, learning_rate, rho, epsilon):
        super().__init__(use_locking=False, name="Adadelta")
        self._learning_rate = learning_rate
        self._rho = rho
        self._epsilon = epsilon

    def _create_slots(self, var_list):
        for variable in var_list:
            self._zeros_slot(variable, "square", self._name)
            self._zeros_slot(variable, "moved", self._name)

    def _average(self, slot, value):
        return tf.assign(slot, self._rho * slot + (1 - self._rho) * tf.square(value))

    def _apply_dense(self, grad, var):
        moved = self.get_slot(var, "moved")
        square = self._average(self.get_slot(var, "square"), grad)
        delta = grad * tf.sqrt(moved + self._epsilon) * tf.rsqrt(square + self._epsilon)
        with tf.control_dependencies([delta]):  # of the average before this step
            averaged = self._average(moved, delta)
        return tf.group(averaged, tf.assign_sub(var, self._learning_rate * delta))


OPTIMIZERS = {
    "adadelta": lambda: AdadeltaOptimizer(learning_rate=1.0, rho=0.95, epsilon=1e-8),
}
