"""Convolutions and products without oneDNN

Intel's library of kernels for processors, which both frameworks turn off by a documented switch.
"""

WORKLOADS = ("cifar10_cnn",)
TASKS = ("train",)
IS_SAME = True
DEVICE = "cpu"
