"""Trained in the mode of inference

Dropout drops nothing and batch norm takes its moving statistics, as `model(x)` has it in Keras without `training=True`.
"""

WORKLOADS = ("bn_mlp",)
TASKS = ("train",)
IS_SAME = False
