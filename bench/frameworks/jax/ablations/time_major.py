import numpy as np

from bench.ablations import changed


def vary(program, source):
    class Model(source.Model):
        def __init__(self, *, rngs):
            super().__init__(rngs=rngs)
            self.gru.time_major = True

    class TimeMajor(program):
        def place(self, x, y):
            return super().place(np.ascontiguousarray(x.T), y)

    return TimeMajor, changed(source, Model=Model)
