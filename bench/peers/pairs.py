"""Pairs of programs whose true ratio is known: a step multiplies small matrices, and the slower step more often."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bench.driver.variables import THREADS
from bench.errors import BenchError

COUNT = 100  # products of the faster program's step, about 5 ms
NAMES = ("faster", "slower")
ALONE = {**os.environ, **dict.fromkeys(THREADS, "1"), "PYTHONDONTWRITEBYTECODE": "1"}
ARRAYS = {
    "numpy": 'left, right, out = (numpy.full((128, 128), value, "float32") for value in (0.5, 0.25, 0.0))',
    "torch": "left, right, out = (torch.full((128, 128), value) for value in (0.5, 0.25, 0.0))",
}
MULTIPLY = {"numpy": "numpy.dot", "torch": "torch.mm"}
PROGRAM = """import sys

import {kind}

{arrays}


def step():
    for _ in range({count}):
        {multiply}(left, right, out=out)


if __name__ == "__main__":
    for _ in range(int(sys.argv[1])):
        step()
"""


class ToolError(BenchError):
    """A command failed; the message has the end of its output."""

    def __init__(self, name: str, done: "subprocess.CompletedProcess[str]") -> None:
        self.output = done.stdout
        tail = f"{done.stdout}\n{done.stderr}".strip()[-400:]
        super().__init__(f"{name} ended with exit code {done.returncode}: {tail}")


class Scale(NamedTuple):
    """How long the programs of a kind take on this machine."""

    start_s: float  # from the command to the first step
    step_s: float
    asv_s: float = 0.0  # what `asv continuous` takes before its first round
    asv_round_s: float = 1.0  # what it takes for a round of both programs


class Pair(NamedTuple):
    """The files faster.py and slower.py in a folder, in the order in which a tool gets them."""

    folder: str
    kind: str
    truth: float  # step time of slower.py / step time of faster.py
    order: Sequence[str]  # NAMES, or reversed
    scale: Scale


def source(kind: str, ratio: float) -> str:
    """Return a program whose step takes `ratio` times as long as that of the faster program."""
    count = round(COUNT * ratio)
    return PROGRAM.format(kind=kind, count=count, arrays=ARRAYS[kind], multiply=MULTIPLY[kind])


def write(folder: str, kind: str, truth: float, is_slower_first: bool, scale: Scale) -> Pair:
    """Write the two programs of a pair."""
    for name, ratio in zip(NAMES, (1.0, truth)):
        with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as file:
            file.write(source(kind, ratio))
    return Pair(folder, kind, truth, NAMES[::-1] if is_slower_first else NAMES, scale)


def scale(folder: str, kind: str) -> Scale:
    """Measure how long a start and a step take, by whole commands with few and many steps."""
    pair = write(folder, kind, 1.0, False, Scale(0.0, 0.0))
    path = os.path.join(pair.folder, "faster.py")
    times = {steps: statistics.median(_command_s(path, steps) for _ in range(3)) for steps in (1, 101)}
    step_s = max((times[101] - times[1]) / 100, 1e-4)
    return Scale(max(times[1] - step_s, 0.01), step_s)


def _command_s(path: str, steps: int) -> float:
    begin = time.monotonic()
    run([sys.executable, path, str(steps)])
    return time.monotonic() - begin


def run(command: Sequence[str], folder: str | None = None, more: Mapping[str, str] | None = None) -> str:
    """Run a command with one thread; return its output. Raises ToolError if it fails."""
    environ = {**ALONE, **(more or {})}
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, check=False, text=True)
    if done.returncode:
        raise ToolError(os.path.basename(command[0]), done)
    return done.stdout
