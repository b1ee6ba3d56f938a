"""Batches shuffled, not examples

The same examples stand in one batch in every epoch, and only the order of the batches is drawn.
"""

import numpy as np

WORKLOADS = ("mnist_mlp",)
TASKS = ("epochs",)
IS_SAME = True  # a step; what differs is which examples are in it


def vary(program, source):
    """Return programs that say in which order an epoch goes through the examples."""

    class ByBatch(program):
        def order(self, random, examples, batch_size):
            begins = random.permutation(examples // batch_size) * batch_size
            return (begins[:, None] + np.arange(batch_size)).ravel()

    return ByBatch, source
