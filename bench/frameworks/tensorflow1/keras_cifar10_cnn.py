import tensorflow as tf


def Model(x, training):  # (batch, 32, 32, 3)
    x = tf.layers.conv2d(x, 32, 3, padding="same", activation=tf.nn.relu, name="conv1")
    x = tf.layers.conv2d(x, 32, 3, padding="valid", activation=tf.nn.relu, name="conv2")
    x = tf.layers.max_pooling2d(x, 2, 2)  # (batch, 15, 15, 32)
    x = tf.layers.dropout(x, rate=0.25, training=training)

    x = tf.layers.conv2d(x, 64, 3, padding="same", activation=tf.nn.relu, name="conv3")
    x = tf.layers.conv2d(x, 64, 3, padding="valid", activation=tf.nn.relu, name="conv4")
    x = tf.layers.max_pooling2d(x, 2, 2)  # (batch, 6, 6, 64)
    x = tf.layers.dropout(x, rate=0.25, training=training)

    x = tf.reshape(x, [-1, 6 * 6 * 64])
    x = tf.layers.dense(x, 512, activation=tf.nn.relu, name="hidden")
    x = tf.layers.dropout(x, rate=0.5, training=training)
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
    "rmsprop": lambda: RMSPropOptimizer(learning_rate=1e-4, decay=0.9, momentum=0.0, epsilon=1e-20),
}
