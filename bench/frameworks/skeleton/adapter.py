"""A skeleton that runs, and fails with what to write next. bench/frameworks/README.md explains each name.

Copy this folder, rename framework.toml.example to framework.toml, and repeat `nox -s check -- --environment mine
--workload linear`: its first row names the next `NotImplementedError` to replace. `chainer/` is a small finished one.
"""

import numpy as np

OUT_OF_MEMORY = (MemoryError,)


def devices():
    return ["cpu"]  # add "gpu" in front if the framework sees one


def configure(device, threads, precision):
    raise NotImplementedError("configure: set the number of threads; raise bench.errors.Unsupported for the rest")


def loaded():
    return {"numpy": np.__version__, "cuda": None, "cudnn": None, "device_name": None}


def peak_memory_bytes():
    return None  # on a GPU: the highest use so far, by the framework's own allocator


class Program:
    def __init__(self, source, task, mode, optimizer, x):
        raise NotImplementedError("Program: build source.Model(); to train, source.OPTIMIZERS[optimizer] with it")

    def load(self, weights):
        raise NotImplementedError("load: set each weight from its canonical array; kernels are (inputs, outputs)")

    def weights(self):
        raise NotImplementedError("weights: return {canonical name: NumPy array}, the inverse of load")

    def without_dropout(self):
        raise NotImplementedError("without_dropout: set every dropout rate to 0")

    def scale_learning_rate(self, factor):
        raise NotImplementedError("scale_learning_rate: multiply the optimizer's learning rate")

    def place(self, x, y):
        raise NotImplementedError("place: copy a batch to the device, in the framework's types and image layout")

    def outputs(self, batch):
        raise NotImplementedError("outputs: run forward in inference mode; return a NumPy array")

    def gradients(self, batch):
        raise NotImplementedError("gradients: return (outputs, loss, {name: gradient}) in training mode, no update")

    def step(self, batch):
        raise NotImplementedError("step: start one training or inference step; return a handle on its loss")

    def wait(self, handle):
        raise NotImplementedError("wait: wait until the device has finished that step; return the loss as a float")
