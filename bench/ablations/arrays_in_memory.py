"""Arrays in memory

All photographs are decoded before training begins; of a batch only what makes floats of bytes is left.
"""

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
WORKERS = (0,)
