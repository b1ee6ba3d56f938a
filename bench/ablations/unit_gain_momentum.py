"""Momentum with unit gain

velocity = momentum * velocity + (1 - momentum) * gradient, as CNTK had it by default: a tenth of the step at 0.9.
"""

WORKLOADS = ("cifar10_cnn",)
TASKS = ("epochs",)
IS_SAME = False
EXAMPLES = 640  # its step is the longest of the small networks'; the loss tells soon enough
