"""iDeep's dropout takes its seed from the clock's whole seconds: layers of a size, and steps of a second, drop alike.

Seen in: chainer-7.8.
"""

import time

import ideep4py
import numpy as np

RATIO = 0.5
ones = ideep4py.array(np.ones((64, 512), np.float32))
time.sleep(1.05 - time.time() % 1)  # to the begin of a second
masks = [np.array(ideep4py.dropout.Forward(ones, RATIO)[0]) for _ in range(5)]
alike = sum(np.array_equal(masks[0], mask) for mask in masks[1:])
print("Of 4 further masks of 32,768 numbers, %d are the first one again." % alike)
if not alike:
    raise SystemExit("They differ: the defect is gone.")
