"""Files as today's guides feed them

Shuffled, decoded by as many workers as there are cores or as the framework thinks best, and batches ahead of the
network.
"""

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
