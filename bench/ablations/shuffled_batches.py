"""Batches shuffled, not examples

Examples are shuffled once, before the first epoch. From then on a batch holds the same examples, and only the order of
the batches is drawn.
"""

import numpy as np

WORKLOADS = ("mnist_mlp",)
TASKS = ("epochs",)
IS_SAME = True  # a step; what differs is which examples are in it


def vary(program, source):
    """Return programs that say in which order an epoch goes through the examples."""

    class ByBatch(program):
        once = None

        def order(self, random, examples, batch_size):
            self.once = random.permutation(examples) if self.once is None else self.once
            begins = random.permutation(examples // batch_size) * batch_size
            return self.once[(begins[:, None] + np.arange(batch_size)).ravel()]

    return ByBatch, source
