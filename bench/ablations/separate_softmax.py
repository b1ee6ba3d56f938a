"""Softmax apart from the loss

Probabilities first, then the logarithm of the right one; fused, the loss takes the logits, and neither overflows.
"""

WORKLOADS = ("mnist_mlp",)
TASKS = ("train",)
IS_SAME = True
