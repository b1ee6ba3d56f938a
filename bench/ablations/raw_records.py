"""One file of raw pixels

The whole data set is decoded once and written down (the article on input pipelines calls it converting): nothing is
left to decode, and there is more to read.
"""

from bench.feeding import TASKS, WORKLOADS

__all__ = ["TASKS", "WORKLOADS"]

IS_SAME = True
WORKERS = (0,)
