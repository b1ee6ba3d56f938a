"""A program made slower by a known share, for the control `planted`.

It is a file of the worker, which must not import the code that drives controls.
"""

import time
from typing import Any, Optional

SHORTEST_SLEEP_S = 2e-3  # a system may oversleep by as much: the rest of a pause is spent looking at the clock


class Slowed:
    """A program made slower by `percent`, on the device or on the host; everything else is the program's own.

    On the device, `percent` of every 100 steps are repeated, spread evenly. A block has a multiple of 100 steps.
    Otherwise the lower decile, a run's number, would be blocks with fewer repeated steps. On the host, a wait
    pauses before it returns, for `percent` of the time since the first step after the last wait. A pause after each
    step would be hidden by a device that works meanwhile.
    """

    OF = 100

    def __init__(self, program: Any, way: str, percent: int) -> None:
        self.program = program
        self.percent = percent
        self.step = {"device": self._step_again, "host": self._step}[way]
        self.wait = {"device": program.wait, "host": self._wait}[way]
        self.steps = self.extra = 0
        self.begun: Optional[float] = None
        if hasattr(program, "loop"):
            self.loop = {"device": self._loop_longer, "host": self._loop}[way]

    def __getattr__(self, name: str) -> Any:
        return getattr(self.program, name)

    def _due(self, steps: int) -> int:
        """Return how many steps are to be made once more, now that so many were asked for."""
        self.steps += steps
        due = self.percent * self.steps // self.OF - self.extra
        self.extra += due
        return due

    def _step_again(self, batch: Any) -> Any:
        handle = self.program.step(batch)
        for _ in range(self._due(1)):
            handle = self.program.step(batch)
        return handle

    def _loop_longer(self, batch: Any, steps: int, clock: Any) -> Any:
        return self.program.loop(batch, steps + self._due(steps), clock)

    def _loop(self, batch: Any, steps: int, clock: Any) -> Any:
        return self.program.loop(batch, steps, Paused(clock, self.percent))

    def _step(self, batch: Any) -> Any:
        self.begun = self.begun or time.perf_counter()
        return self.program.step(batch)

    def _wait(self, handle: Any) -> Any:
        number = self.program.wait(handle)
        if self.begun is not None:
            _pause(self.begun, self.percent)
            self.begun = None
        return number


class Paused:
    """A clock that pauses for `percent` of the time since it began before it ends."""

    def __init__(self, clock: Any, percent: int) -> None:
        self.clock = clock
        self.percent = percent

    def begin(self) -> None:
        """Begin."""
        self.begun = time.perf_counter()
        self.clock.begin()

    def end(self) -> None:
        """Pause, and end."""
        _pause(self.begun, self.percent)
        self.clock.end()


def _pause(since: float, percent: int) -> None:
    """Pause for `percent` of the time since a moment."""
    now = time.perf_counter()
    pause_until(now + (now - since) * percent / 100.0)


def pause_until(end: float) -> None:
    """Return when the clock shows `end`: asleep as long as that is safe, then watching the clock."""
    left = end - time.perf_counter()
    if left > SHORTEST_SLEEP_S:
        time.sleep(left - SHORTEST_SLEEP_S)
    while time.perf_counter() < end:
        pass
