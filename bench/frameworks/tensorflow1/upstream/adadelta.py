"""TensorFlow's Adadelta on a CPU takes for a step the average of squared steps that this very step is already part of.

Its kernel names an expression of that average, updates the average, and computes the expression only then.
Seen in: tensorflow-1.4, tensorflow-1.3.
"""

import numpy as np
import tensorflow as tf

RHO, EPSILON = 0.95, 1e-8

weight = tf.Variable([0.0])
step = tf.train.AdadeltaOptimizer(learning_rate=1.0, rho=RHO, epsilon=EPSILON).apply_gradients([([1.0], weight)])
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    session.run(step)
    moved = -session.run(weight)[0]

stated = np.sqrt(EPSILON) / np.sqrt(1 - RHO + EPSILON)  # no step before it: the average is 0
print("Adadelta's first step for a gradient of 1 is %.6f by its definition, and %.6f here." % (stated, moved))
if abs(moved - stated) < 0.01 * stated:
    raise SystemExit("They are alike: the defect is gone.")
