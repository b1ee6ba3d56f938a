"""Each batch copied to the device as it is needed

What is measured elsewhere has its batch on the device already.
"""

WORKLOADS = ("mnist_mlp", "cifar10_cnn")
TASKS = ("train",)
IS_SAME = True
DEVICE = "gpu"  # on a processor there is nowhere to copy it to


def vary(program, source):
    """Return programs that place a batch when they are asked for a step."""

    class FromHost(program):
        def __init__(self, *about):
            super().__init__(*about)
            self.placed_step, self.step = self.step, lambda batch: self.placed_step(self._placed(batch))

        def _placed(self, batch):
            return super().place(*batch)

        def place(self, x, y):
            return x, y

        def outputs(self, batch):
            return super().outputs(self._placed(batch))

        def gradients(self, batch):
            return super().gradients(self._placed(batch))

    return FromHost, source
