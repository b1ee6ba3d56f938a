"""JPEG files, prefetched

Files are decoded during the steps, until a number of batches is ready. With none, each batch is decoded when its step
needs it. More than one batch pays only if the times of files or steps vary.
"""

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
COUNTED = "batch ahead", "batches ahead"
NUMBERS = ()  # measured when asked for: --mode eager+batches_ahead+4
