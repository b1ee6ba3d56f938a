"""Waiting at each step

The loss is fetched before the next step begins, as a loop does that prints it; without, a block of steps has one wait.
"""

WORKLOADS = ("mnist_mlp",)
TASKS = ("train",)
IS_SAME = True


def vary(program, source):
    """Return programs whose every step ends with a wait."""

    class Waiting(program):
        def __init__(self, *about):
            super().__init__(*about)
            self.unwaited, self.step = self.step, self._waited

        def _waited(self, batch):
            handle = self.unwaited(batch)
            self.wait(handle)
            return handle

    return Waiting, source
