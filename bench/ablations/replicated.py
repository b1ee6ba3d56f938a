"""Data parallelism

Each device holds all weights and trains on an equal share of the batch; gradients are averaged. On a CPU, a device is a
replica with threads of its own. It shows that the result is correct, and says nothing about the speed of GPUs.
"""

import os

from bench.errors import Unsupported

WORKLOADS = ("mnist_mlp", "cifar10_cnn", "text_transformer", "gpt")  # without batch norm, which may see a share alone
TASKS = ("train",)
IS_SAME = True
COUNTED = "device", "devices"
NUMBERS = (2,)
VARIABLES = {"BENCH_DEVICES": "{number}"}


def devices(gpus):
    """Return how many devices the mode of this process has, replicas on the CPU where `gpus`, those seen, is 0.

    Raises Unsupported if there are fewer GPUs.
    """
    asked = int(os.environ["BENCH_DEVICES"])
    if 0 < gpus < asked:
        raise Unsupported(
            "The mode trains on %d GPUs, and the framework sees %d: choose a mode for fewer." % (asked, gpus)
        )
    return asked
