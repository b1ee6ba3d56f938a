from bench.ablations import changed


def vary(program, source):
    class Model(source.Model):
        def __init__(self):
            super().__init__()
            self.trunk.trainable = True

        def call(self, x):
            return self.head(self.average(self.trunk(x)))

    return program, changed(source, Model=Model)
