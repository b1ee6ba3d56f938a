"""Outputs copied to NumPy at each step

As a loop does that computes its own accuracy on the host.
"""

WORKLOADS = ("mnist_mlp",)
TASKS = ("train",)
IS_SAME = True
