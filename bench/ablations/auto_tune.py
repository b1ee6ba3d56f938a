"""Convolutions chosen by trying them out

cuDNN runs each algorithm that it has once, and keeps the fastest; else a heuristic chooses.
"""

WORKLOADS = ("cifar10_cnn", "resnet50")
TASKS = ("train",)
IS_SAME = True
DEVICE = "gpu"  # cuDNN's
