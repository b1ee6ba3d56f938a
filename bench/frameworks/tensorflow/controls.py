"""TensorFlow: a loop of steps of its own, and the most that it gets out of a device.

It has no counter of FLOPs that sees a step with its gradients.
"""

import time

import tensorflow as tf


class MatrixProduct:
    def __init__(self, side, _, precision):
        kind = tf.bfloat16 if precision == "bf16" else tf.float32
        # The root keeps the size of the numbers from product to product.
        self.kernel = tf.cast(tf.random.stateless_normal((side, side), seed=(0, 0)) / side**0.5, kind)
        self.x = self.kernel
        self.flops = 2 * side**3

    def step(self, _):
        self.x = tf.matmul(self.x, self.kernel)
        return self.x

    def wait(self, handle):
        return float(handle[0, 0])


class Copy:
    def __init__(self, count, _):
        self.x, self.ones = tf.Variable(tf.ones(count)), tf.ones(count)
        self.bytes = 12 * count  # reads both, writes one

    def step(self, _):
        self.x.assign_add(self.ones)
        return self.x

    def wait(self, handle):
        return float(handle[0])


def own_timer(program, batch):
    @tf.function
    def loop(steps):
        loss = tf.constant(0.0)
        for _ in tf.range(steps):
            loss = program.step(batch)
        return loss

    def seconds_per_step(steps):
        count = tf.constant(steps)
        begin = time.perf_counter()
        loop(count).numpy()
        return (time.perf_counter() - begin) / steps

    return "a loop inside tf.function", seconds_per_step
