"""Dropout left on at the test

The score is of outputs in training mode: what one gets who forgets to leave it. Training is as it was.
"""

WORKLOADS = ("mnist_mlp",)
TASKS = ("epochs",)
IS_SAME = True  # in training, which parity is asked of without dropout


def vary(program, source):
    """Return programs whose outputs are those of the training mode."""

    class LeftOn(program):
        def outputs(self, batch):
            return self.gradients(batch)[0]

    return LeftOn, source
