"""The timing loop beside a bare one: the same steps with two clock readings and one wait, in one process."""

import time
from typing import Any, Dict, Optional

from bench import controls, registry
from bench import measure as loop
from bench.controls import HEAVY, LIGHT, Place

ORDER = 4
NAME = "overhead"
BLOCK_S = 0.02  # short blocks: what is done once a block weighs more in them than in the 0.1 s of a run's
AT_LEAST_S = 15.0
FEWEST = 8  # turns, where a step takes seconds
EACH_S = {LIGHT: 20.0, HEAVY: 60.0}
TIMEOUT_S = 1200.0


def _asked(place):
    return [question for workload in (LIGHT, HEAVY) for question in controls.questions(place, workload)]


def expected_s(place: Place) -> float:
    """Return the seconds of all environments."""
    return sum(EACH_S[question["workload"]] for question in _asked(place))


def measure(place: Place) -> None:
    """Ask every environment, on the smallest and the largest practical workload."""
    controls.ask_each(place, NAME, _asked(place), TIMEOUT_S)


class Clocked:
    """A program that reads the clock before the first step of a block and after its wait, and nothing else."""

    def __init__(self, program: Any) -> None:
        self.program = program
        self.begun: Optional[float] = None
        self.block_s = 0.0

    def step(self, batch: Any) -> Any:
        """Make one step."""
        if self.begun is None:
            self.begun = time.perf_counter()
        return self.program.step(batch)

    def wait(self, handle: Any) -> Any:
        """Wait, and keep the seconds since the first step."""
        number = self.program.wait(handle)
        self.block_s, self.begun = time.perf_counter() - self.begun, None
        return number


def bare(program: Any, batch: Any, steps: int) -> float:
    """Return the seconds of the plainest loop there is."""
    begun = time.perf_counter()
    for _ in range(steps):
        handle = program.step(batch)
    program.wait(handle)
    return time.perf_counter() - begun


def inside(request: Dict[str, Any], environment: registry.Environment, adapter: Any) -> Dict[str, Any]:
    """Alternate blocks of our loop and of a bare one; `within_s` is our blocks by a clock inside them."""
    program, batch = controls.program(request, environment, adapter)
    steps = controls.steps_per_block(program, batch, BLOCK_S)
    clocked, within = Clocked(program), []

    def ours() -> float:
        wall = loop.block(clocked, batch, steps)[0]
        within.append(clocked.block_s)
        return wall

    timed = {"ours_s": ours, "bare_s": lambda: bare(clocked, batch, steps)}
    series = controls.alternate(request["seed"], timed, FEWEST, AT_LEAST_S)
    return {"about": {}, "series": dict(series, within_s=within, steps=[steps])}
