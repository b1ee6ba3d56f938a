import tensorflow as tf


def Model(x, training):
    x = tf.layers.dense(x, 512, activation=tf.nn.relu, name="hidden1")
    x = tf.layers.dropout(x, rate=0.2, training=training)
    x = tf.layers.dense(x, 512, activation=tf.nn.relu, name="hidden2")
    x = tf.layers.dropout(x, rate=0.2, training=training)
    return tf.layers.dense(x, 10, name="head")


loss = tf.losses.sparse_softmax_cross_entropy


class RMSPropOptimizer(tf.train.RMSPropOptimizer):
    """TensorFlow's, but the mean square of gradients starts at 0: TensorFlow 1 starts it at 1."""

    def _create_slots(self, var_list):
        for variable in var_list:
            self._zeros_slot(variable, "rms", self._name)
            self._zeros_slot(variable, "momentum", self._name)


OPTIMIZERS = {
    # epsilon is added under the root: 1e-20 there is the workload's 1e-10 outside it.
    "rmsprop": lambda: RMSPropOptimizer(learning_rate=1e-3, decay=0.9, momentum=0.0, epsilon=1e-20),
}
