"""Load a user's program: a script with `step()` or `build()`, or a script whose own loop is timed (loops.py)."""

import contextlib
import importlib.util
import inspect
import math
import os
import sys
from typing import Any, Callable, List, Optional

from bench.errors import BenchError

OPTIONAL = ("wait", "batch", "outputs", "weights")


class ProgramError(BenchError):
    """A user's program does not have what a comparison needs; the message says what to write."""


class Program:
    """A loaded program, as bench/measure.py times it.

    `step(batch)` makes one step, and `wait(result)` waits until the work of all steps is done. `batch`, `outputs` and
    `weights` are the script's functions or None. `unit` is "step" or "epoch". `loss` is the number that the newest step
    returned, or None; `losses` has those of the first steps. `module` is the script's module.
    """

    unit = "step"

    def __init__(self, module: Any, step: Callable[..., Any], waits: Any) -> None:
        self.module = module
        self.wait_of_script, self.batch, self.outputs, self.weights = (_function(module, name) for name in OPTIONAL)
        self.examples_per_step: Optional[float] = getattr(module, "EXAMPLES_PER_STEP", None)
        self.waits = waits
        self.loss: Optional[float] = None
        self.losses: List[Optional[float]] = []
        self.steps_made = 0
        self._step = step
        self.placed = self.batch() if self.batch else None

    def step(self, _batch: Any = None) -> Any:
        """Make one step, with the script's batch if it has one."""
        self.steps_made += 1
        return self._step(self.placed) if self.batch else self._step()

    def wait(self, result: Any) -> float:
        """Wait until a step's work is done, by the script's `wait` and by each framework; return its number or NaN."""
        if self.wait_of_script:
            self.wait_of_script(result)
        self.waits()
        self.note(number(result))
        return math.nan

    def note(self, loss: Optional[float]) -> None:
        """Keep the number that the newest step returned."""
        self.loss = loss
        if self.steps_made == len(self.losses) + 1:
            self.losses.append(loss)

    @property
    def waited(self) -> List[str]:
        """How the end of steps was awaited, in plain words."""
        return ["the script's wait()"] * bool(self.wait_of_script) + self.waits()

    def run(self, steps: int, context: Any = None) -> List[Optional[float]]:
        """Make some steps without timing them, each with a wait; return their numbers.

        `context` is a context manager around these steps. It is entered in the thread that makes them.
        """
        losses = []
        with contextlib.ExitStack() as stack:
            if context:
                stack.enter_context(context)
            for _ in range(steps):
                self.wait(self.step())
                losses.append(self.loss)
        return losses


def _function(module: Any, name: str) -> Optional[Callable[..., Any]]:
    """Return a function of the script; a variable of the same name, such as an array of weights, is not meant."""
    value = getattr(module, name, None)
    return value if callable(value) else None


def number(result: Any) -> Optional[float]:
    """Return what a step returned as a float, if it is a single number; else None."""
    if isinstance(result, (list, tuple)) and result:
        result = result[0]
    if isinstance(result, dict):
        result = result.get("loss")
    if result is None or isinstance(result, str) or getattr(result, "size", 1) == 0:
        return None
    try:
        return float(result)
    except (TypeError, ValueError, RuntimeError):
        return None


def load(path: str, arguments: List[str], waits: Any) -> Program:
    """Import a script as a module, so that its `if __name__ == "__main__"` part does not run; return its program.

    The script sees its own folder first on sys.path, and `arguments` in sys.argv. Raises ProgramError without `step`.
    """
    sys.argv = [path] + arguments
    sys.path.insert(0, os.path.dirname(path))
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # worker processes of loaders import it by its name
    spec.loader.exec_module(module)
    step = getattr(module, "step", None)
    if step is None and hasattr(module, "build"):
        step = module.build()
        step = getattr(step, "step", step)
    if not callable(step):
        raise ProgramError(_without_step(step))
    _check_parameters(step, _function(module, "batch") is not None)
    return Program(module, step, waits)


def _without_step(step: Any) -> str:
    found = "build() returned %s" % type(step).__name__ if step is not None else "there is no function step()"
    return (
        "%s. Write a function step() that makes one training step, or build() that returns such a function. "
        "To time a loop of the script as it is, name what it loops over: --loop NAME." % found
    )


def _check_parameters(step: Callable[..., Any], has_batch: bool) -> None:
    try:
        given = [None] if has_batch else []
        inspect.signature(step).bind(*given)
    except TypeError:
        takes = "one argument, the result of batch()" if has_batch else "no argument; with a function batch(), one"
        raise ProgramError(
            "step%s was found. A comparison calls step with %s." % (inspect.signature(step), takes)
        ) from None
    except ValueError:
        pass  # a compiled function without a signature
