"""The gradient of the input computed as well

Nobody needs it, and a framework that is not told so computes it.
"""

WORKLOADS = ("mnist_mlp", "cifar10_cnn")
TASKS = ("train",)
IS_SAME = True
