"""JPEG files

Each file is opened and decoded when its batch is made, in the way that the framework's guide gives.
"""

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
WORKERS = (0, 2)
