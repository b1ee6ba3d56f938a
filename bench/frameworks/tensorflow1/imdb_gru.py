import tensorflow as tf


class GRUCell(tf.nn.rnn_cell.RNNCell):
    """The GRU of cuDNN, whose reset gate acts after the recurrent product, with its two biases for each gate.

    TensorFlow's own cell has the reset gate before the product, and contrib's CudnnCompatibleGRUCell one bias for each
    of the two gates.
    """

    def __init__(self, units):
        super().__init__()
        self.units = units

    @property
    def state_size(self):
        return self.units

    @property
    def output_size(self):
        return self.units

    def call(self, inputs, state):
        units = self.units
        kernel = tf.get_variable("kernel", [inputs.shape[1].value, 3 * units])
        recurrent_kernel = tf.get_variable("recurrent_kernel", [units, 3 * units])
        bias = tf.get_variable("bias", [3 * units], initializer=tf.zeros_initializer())
        recurrent_bias = tf.get_variable("recurrent_bias", [3 * units], initializer=tf.zeros_initializer())

        x = tf.nn.bias_add(tf.matmul(inputs, kernel), bias)
        h = tf.nn.bias_add(tf.matmul(state, recurrent_kernel), recurrent_bias)
        x_z, x_r, x_h = tf.split(x, 3, axis=1)
        h_z, h_r, h_h = tf.split(h, 3, axis=1)
        z = tf.sigmoid(x_z + h_z)
        r = tf.sigmoid(x_r + h_r)
        new = z * state + (1 - z) * tf.tanh(x_h + r * h_h)
        return new, new


def Model(x, training):  # (batch, 150)
    with tf.variable_scope("embedding"):
        table = tf.get_variable("table", [30000, 125])
    x = tf.nn.embedding_lookup(table, x)  # (batch, 150, 125)
    _, last = tf.nn.dynamic_rnn(GRUCell(100), x, dtype=tf.float32, scope="gru")  # (batch, 100)
    return tf.layers.dense(last, 2, name="head")


loss = tf.losses.sparse_softmax_cross_entropy

OPTIMIZERS = {
    # epsilon is Kingma and Ba's epsilon-hat: it acts as epsilon / sqrt(1 - beta_2^t), which is 1e-7 at step 10.
    "adam": lambda: tf.train.AdamOptimizer(learning_rate=1e-3, beta1=0.9, beta2=0.999, epsilon=1e-8),
}
