"""Files as today's guides feed them, flipped and cropped at random

As in the Rosetta Stone's training on chest X-rays: mirrored half of the time, and cut out anywhere instead of in the
middle.
"""

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
