from flax import nnx

from bench.ablations import changed


def vary(program, source):
    class Model(source.Model):
        def train(self, **attributes):
            nnx.Module.train(self, **attributes)  # the trunk's batch norms as well

    return program, changed(source, Model=Model, TRAINED=nnx.Param)
