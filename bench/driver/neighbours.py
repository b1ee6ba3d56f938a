"""Detect whether other virtual machines slow the cores that blocks are timed on.

A rented core is often one of a core's two threads. While a neighbour computes on the other, programs here take 1.3 to 2
times as long, for tenths of a second to minutes. No counter shows it, but a short fixed loop before a block does. It
also detects rivals whose threads do not sleep yet.
"""

import contextlib
import os
import time
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from bench import machine
from bench.results.void_rules import QUIET

LOOPS = 3  # the fastest counts; the first one after a pause has cold caches
ADDS = 20000  # per loop, about 0.3 ms; plain Python, which a neighbour slows most
PAUSE_S = 0.1  # between two checks
ANY = -1  # any core, if the system cannot bind processes to cores


class Quiet(NamedTuple):
    """The cores that a block may be timed on."""

    cores: list[int]
    slowdown: float  # of the slowest of them now, at least 1
    waited_s: float


def _loop_s() -> float:
    begin = time.perf_counter()
    sum(range(ADDS))
    return time.perf_counter() - begin


@contextlib.contextmanager
def _on(core: int) -> Iterator[None]:
    """Bind this thread to a core within the context."""
    if core == ANY:
        yield
        return
    before = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, [core])
        yield
    finally:
        os.sched_setaffinity(0, before)


class Canary:
    """Checks the cores that runs may be timed on; each check can improve their known fastest times."""

    def __init__(self, threads: int) -> None:
        self.places = machine.places(threads)
        self.fastest_s: dict[int, float] = {}  # by core, because cores may differ

    def slowdown(self, cores: list[int]) -> float:
        """Return the loop's time now relative to its fastest, on the slowest of some cores."""
        slowdown = 1.0
        for core in cores or [ANY]:
            with _on(core):
                now_s = min(_loop_s() for _ in range(LOOPS))
            self.fastest_s[core] = min(self.fastest_s.get(core, now_s), now_s)
            slowdown = max(slowdown, now_s / self.fastest_s[core])
        return slowdown

    def quiet(self, before: list[int], most_s: float, places: Sequence[list[int]] = ()) -> Quiet:
        """Return quiet cores, preferably `before`; after `most_s` seconds, the least slowed ones.

        `places` are the sets of cores to choose from, if not those of so many threads.
        """
        begin = time.monotonic()
        while True:
            checked = []
            for cores in sorted(places or self.places, key=lambda cores: cores != before):
                checked.append(Quiet(cores, self.slowdown(cores), time.monotonic() - begin))
                if checked[-1].slowdown <= QUIET:
                    return checked[-1]
            if time.monotonic() - begin + PAUSE_S > most_s:
                return min(checked, key=lambda quiet: quiet.slowdown)
            time.sleep(PAUSE_S)
