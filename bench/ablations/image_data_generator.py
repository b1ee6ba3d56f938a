"""Keras' ImageDataGenerator

As the article on input pipelines has it: rotated by up to 30 degrees, rescaled, with 16 workers; it still ships, as
legacy. What it gives is no longer what is in the files: of its batches labels, order and shape are checked.
"""

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
WORKERS = (16,)
