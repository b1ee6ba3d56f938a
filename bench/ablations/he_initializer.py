"""Kernels drawn by He's rule instead of Glorot's

Wider by the root of (inputs + outputs) / inputs, from the same draws (He et al. 2015; Glorot and Bengio 2010).
"""

import numpy as np

WORKLOADS = ("mnist_mlp",)
TASKS = ("epochs",)
IS_SAME = False


def _wider(kernel):
    inputs, outputs = int(np.prod(kernel.shape[:-1])), kernel.shape[-1]
    return (kernel * np.sqrt((inputs + outputs) / inputs)).astype(kernel.dtype)


def vary(program, source):
    """Return programs that widen the kernels which they are given."""

    class He(program):
        def load(self, weights):
            super().load({name: _wider(each) if name.endswith("kernel") else each for name, each in weights.items()})

    return He, source
