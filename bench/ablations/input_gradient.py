"""The gradient of the input computed as well

No optimizer needs it. A framework computes it unless the program excludes it.
"""

WORKLOADS = ("mnist_mlp", "cifar10_cnn")
TASKS = ("train",)
IS_SAME = True
