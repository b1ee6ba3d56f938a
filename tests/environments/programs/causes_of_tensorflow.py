"""Small programs by TensorFlow: arguments are a function's name, and "with" or "without" for its cause."""

import sys

import tensorflow as tf

HAS_CAUSE = sys.argv[2] == "with"
x = tf.linspace(0.0, 1.0, 1000)


def recompilation():
    state = {"steps": 0}

    @tf.function
    def compute(x, number):
        return tf.reduce_sum(x * tf.cast(number, tf.float32))

    def step():
        state["steps"] += 1
        return compute(x, state["steps"] if HAS_CAUSE else tf.constant(state["steps"]))

    return step


def gradients_recorded():
    weight = tf.Variable(tf.ones(1000))

    def step():
        if not HAS_CAUSE:
            return tf.reduce_sum(weight * x)
        with tf.GradientTape():
            return tf.reduce_sum(weight * x)

    return step


def not_compiled():
    def many(x):
        for _ in range(30):
            x = tf.sin(x) + 1.0
        return tf.reduce_sum(x)

    compute = many if HAS_CAUSE else tf.function(many)
    return lambda: compute(x)


def float64():
    numbers = tf.cast(x, tf.float64 if HAS_CAUSE else tf.float32)
    return lambda: tf.reduce_sum(tf.exp(numbers))


def build():
    return globals()[sys.argv[1]]()
