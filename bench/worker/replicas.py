"""Programs on several devices: check that each has its share of a step, and let each device have a process.

Where a framework wants one process for each device, the first process leads: it takes turns and answers. It tells the
others through pipes what to do (bench/worker/follower.py), and they sleep until then.
"""

import os
import subprocess
import sys
import tempfile
from typing import Any, Callable, Dict, Iterator, List

import numpy as np

from bench import ablations, machine, replies
from bench.ablations import replicated
from bench.errors import ContractError
from bench.worker import follower, group

VISIBLE = "CUDA_VISIBLE_DEVICES"
_BASE: Any = object  # the class of a framework's programs


def check(program: Any, mode: str, examples: int) -> None:
    """Raise ContractError unless each device of a mode made its program's last step, on an equal share of `examples`.

    A program on several devices has `shares()`: {device: examples of its share of the last step}, by what the step has
    used and returned.
    """
    asked = ablations.devices(mode)
    if asked == 1:
        return
    shares = getattr(program, "shares", dict)()
    if sorted(shares.values()) != [examples / asked] * asked:
        message = (
            "a step on %d examples was to be shared by %d devices, and it was made by: %s. Does the framework use "
        )
        message += "each device, and split the batch evenly?"
        raise ContractError(message % (examples, asked, shares))


def lead(gpus: int) -> group.Group:
    """Return the group of this process; the first call in a process that leads, and sees `gpus`, starts the others."""
    found = group.current()
    if found:
        return found
    size = replicated.devices(gpus)
    folder = tempfile.mkdtemp(prefix="replicas-", dir=os.environ.get(replies.MARK))
    return group.Group(0, size, folder, [_start(rank, size, folder) for rank in range(1, size)])


def _start(rank, size, folder):
    """Start the process of a rank, which sees its own GPU alone; it serves programs of this process's request."""
    visible = os.environ.get(VISIBLE)
    own = visible.split(",")[rank] if visible else visible if visible is not None else str(rank)
    words = [sys.executable, "-m", follower.main.__module__, sys.argv[1], str(rank), str(size), folder]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    return subprocess.Popen(words, env=dict(os.environ, **{VISIBLE: own}), **pipes)


def others() -> List[int]:
    """Return the IDs of the further processes of this call."""
    found = group.current()
    return [other.pid for other in found.others] if found else []


def peak_memory_bytes() -> Any:
    """Return the most memory that the processes of this call have had together, in bytes, or None."""
    own = machine.peak_memory_bytes()
    return own and own + sum(machine.resident_bytes(number)[1] for number in others())


class Led(_BASE):
    """What a program's class is joined with (`by_processes`), so that it trains on several devices."""

    gpus = 0
    join: Any = None

    def __init__(self, source: Any, task: str, mode: str, optimizer: str, x: Any) -> None:
        self.group, self.batches = lead(self.gpus), []  # type: group.Group, List[Any]
        self.place_in_group, self.group.programs = self.group.programs, self.group.programs + 1
        workload = os.path.basename(source.__file__)[: -len(".py")]
        self._tell("program", workload, task, optimizer)
        super().__init__(source, task, mode, optimizer, x)
        self.of_all = np.mean if task == "train" else np.sum
        self.own_step, self.step = self.step, self.step_together
        self.join(self, self.group)

    def _tell(self, *command: Any) -> None:
        self.group.tell(self.place_in_group, *command)

    def _ask(self, *command: Any) -> Iterator[Any]:
        return self.group.ask(self.place_in_group, *command)

    def load(self, weights: Dict[str, np.ndarray]) -> None:
        """Load the same weights on each device."""
        self._tell("load", weights)
        super().load(weights)

    def without_dropout(self) -> None:
        """Set each rate of dropout to 0."""
        self._tell("without_dropout")
        super().without_dropout()

    def scale_learning_rate(self, factor: float) -> None:
        """Multiply the learning rate."""
        self._tell("scale_learning_rate", factor)
        super().scale_learning_rate(factor)

    def _share(self, values: Any) -> Any:
        if isinstance(values, tuple):
            return tuple(map(self._share, values))
        count = len(values) // self.group.size
        return values[self.group.rank * count :][:count]

    def place(self, x: Any, y: Any) -> int:
        """Place a share of a batch on each device; return the batch's number."""
        self._tell("place", x, y)
        x, y = self._share(x), self._share(y)
        self.batches.append((len(y), super().place(x, y)))
        return len(self.batches) - 1

    def step_together(self, batch: int) -> Any:
        """Start a step on each device."""
        self._tell("step_together", batch)
        self.last, placed = self.batches[batch]
        self.handle = self.own_step(placed)
        return self.handle

    def wait(self, *_: Any) -> float:
        """Wait until each device has made the last step; return the number of the whole batch."""
        others = self._ask("wait")
        return float(self.of_all([super().wait(self.handle), *others]))

    def outputs(self, batch: int) -> np.ndarray:
        """Return the outputs of the whole batch."""
        others = self._ask("outputs", batch)
        return np.concatenate([super().outputs(self.batches[batch][1]), *others])

    def gradients(self, batch: int) -> Any:
        """Return outputs and loss of the whole batch, and the averaged gradients; those of the first device alone."""
        others = self._ask("gradients", batch)
        outputs, loss, gradients = super().gradients(self.batches[batch][1])
        if self.group.rank:
            return outputs, loss, {}
        shares = [(outputs, loss, {}), *others]
        return np.concatenate([each[0] for each in shares]), float(np.mean([each[1] for each in shares])), gradients

    def shares(self) -> Dict[str, int]:
        """Return {process: examples of its share of the last step}."""
        others = self._ask("shares")
        found = {"process %d" % os.getpid(): self.last}
        for each in others:
            found.update(each)
        return found


def by_processes(program: Any, gpus: int, join: Callable[[Any, group.Group], None]) -> Any:
    """Return a class of programs on several devices, each in a process that has a `program` of its own.

    `gpus` is how many the framework sees; if none, the devices are replicas on the CPU. `join(program, group)` is
    called in each process, and lets steps and gradients average over the group. A placed batch is a number, the same
    in each process.
    """
    return type("Replicated", (Led, program), {"gpus": gpus, "join": staticmethod(join)})
