"""JPEG files, prefetched

One file after the other is decoded beside the steps, until so many batches wait. With none, each batch is decoded when
its step asks for it. More than one pays only where files, or steps, take now longer and now less.
"""

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
COUNTED = "batch ahead", "batches ahead"
NUMBERS = ()  # measured when asked for: --mode eager+batches_ahead+4
