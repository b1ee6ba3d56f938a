"""Gradients recorded in inference

As one does who forgets to say that no gradient will be asked for.
"""

WORKLOADS = ("mnist_mlp", "cifar10_cnn")
TASKS = ("infer",)
IS_SAME = True
