import numpy as np
from torch import nn

from bench.ablations import changed


def vary(program, source):
    class Model(source.Model):
        def __init__(self):
            super().__init__()
            for module in self.modules():
                if isinstance(module, nn.RNNBase):
                    module.batch_first = False

    class TimeMajor(program):
        def place(self, x, y):
            return super().place(np.ascontiguousarray(x.T), y)

    return TimeMajor, changed(source, Model=Model)
