"""Answer parity as programs do of which one tensor learns a little less than stated.

Usage, inside an environment: learns_less.py ENVIRONMENT WORKLOAD OPTIMIZER MODE FOLDER. Writes the answers <number>.npz
of PLANTED, in its order.
"""

import os
import sys

import numpy as np
from defects import Defective

from bench import answer, registry
from bench.worker import programs

# What is planted: a tensor of `linear`, how far it moves in a step, as a share of what the framework moves it by, and
# what the judgement must say of it.
PLANTED = (
    ("hidden.kernel", 1.0, ""),
    ("hidden.kernel", 0.95, "its learning at step"),
    ("head.bias", 0.5, "its movement at head.bias"),
)


class LearnsLess(Defective):
    """Takes back a part of what each step does to one tensor."""

    def do(self, step):
        before = self.copies()[self.tensor]
        number = step()
        after = self.copies()
        moved = after[self.tensor] - before
        self.program.load(dict(after, **{self.tensor: before + np.float32(self.share) * moved}))
        return number


def main(environment, workload, optimizer, mode, folder):
    """Write the answers, about nothing."""
    row = registry.environment(environment)
    adapter = registry.adapter(row)
    adapter.configure("cpu", int(os.environ["OMP_NUM_THREADS"]), "fp32")
    for number, (tensor, share, _) in enumerate(PLANTED):
        program = LearnsLess(programs.program(adapter, row, workload, "train", mode, optimizer))
        program.tensor, program.share = tensor, share
        given = answer.answer_training(program, registry.workload(workload), has_gradients=True)
        answer.save(os.path.join(folder, str(number) + ".npz"), given, {})


if __name__ == "__main__":
    main(*sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # a framework's own teardown may crash
