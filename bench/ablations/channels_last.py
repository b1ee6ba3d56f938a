"""Images channels last in memory

Beside channels first, what the framework documents.
"""

WORKLOADS = ("cifar10_cnn", "resnet50")
TASKS = ("train",)
IS_SAME = True
DEVICE = "gpu"  # as it is claimed of cuDNN
