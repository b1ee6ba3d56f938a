"""The gradient of the input computed as well

Nothing needs it, but a framework computes it unless this is switched off.
"""

WORKLOADS = ("mnist_mlp", "cifar10_cnn")
TASKS = ("train",)
IS_SAME = True
