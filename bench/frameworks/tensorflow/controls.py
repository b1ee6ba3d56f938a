"""TensorFlow: the most that it gets out of a device. It has no counter that sees a step with its gradients."""

import tensorflow as tf


class MatrixProduct:
    def __init__(self, side):
        # The root keeps the size of the numbers from product to product.
        self.kernel = tf.random.stateless_normal((side, side), seed=(0, 0)) / side**0.5
        self.x = self.kernel
        self.flops = 2 * side**3

    def step(self, _):
        self.x = tf.matmul(self.x, self.kernel)
        return self.x

    def wait(self, handle):
        return float(handle[0, 0])


class Copy:
    def __init__(self, count):
        self.x, self.ones = tf.Variable(tf.ones(count)), tf.ones(count)
        self.bytes = 12 * count  # reads both, writes one

    def step(self, _):
        self.x.assign_add(self.ones)
        return self.x

    def wait(self, handle):
        return float(handle[0])
