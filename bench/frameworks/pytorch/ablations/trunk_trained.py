from torch import nn

from bench.ablations import changed


def vary(program, source):
    class Model(source.Model):
        def __init__(self):
            super().__init__()
            self.trunk.requires_grad_(True)

        def train(self, mode=True):
            return nn.Module.train(self, mode)  # the trunk's batch norms as well

    return program, changed(source, Model=Model)
