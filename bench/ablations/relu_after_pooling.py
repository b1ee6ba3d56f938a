"""ReLU after max-pooling

The largest of four is the same before ReLU and after it, of which a quarter as many numbers are left.
"""

WORKLOADS = ("cifar10_cnn",)
TASKS = ("train",)
IS_SAME = True
