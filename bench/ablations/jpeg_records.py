"""One file of JPEG

The files as they are, one behind the other: they are decoded, but not opened one by one.
"""

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
WORKERS = (0,)
