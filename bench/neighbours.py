"""Whether somebody else slows the cores that blocks are timed on, which no counter of a rented machine tells.

What a hypervisor rents out as a core is often one of the two threads of a core: while a neighbour computes on the
other, everything here takes a third to all as long again, by program, for tenths of a second to minutes. A short loop
that is always the same tells it right before a block.
"""

import contextlib
import os
import time
from typing import Iterator, List, NamedTuple

from bench import machine

LOOPS = 3  # of which the fastest counts: the first after a rest meets empty caches
ADDS = 20000  # of a loop, about 0.3 ms: plain Python, which a neighbour slows most
QUIET = 1.4  # as many times its fastest takes a loop at most on a core without a neighbour, and twice beside one
PAUSE_S = 0.1  # between two looks


class Quiet(NamedTuple):
    """Where a block may be timed."""

    cores: List[int]
    slowdown: float  # of the slowest of them now, from 1 up
    waited_s: float


def _loop_s() -> float:
    begin = time.perf_counter()
    sum(range(ADDS))
    return time.perf_counter() - begin


@contextlib.contextmanager
def _on(cores: List[int]) -> Iterator[None]:
    """Keep this thread there meanwhile."""
    before = os.sched_getaffinity(0) if cores else ()
    try:
        if cores:
            os.sched_setaffinity(0, cores)
        yield
    finally:
        if cores:
            os.sched_setaffinity(0, before)


class Canary:
    """Looks at the cores that runs may be timed on; the more often it looked, the better it knows their best."""

    def __init__(self, threads: int) -> None:
        self.places = machine.places(threads)
        self.fastest_s = float("inf")

    def slowdown(self, cores: List[int]) -> float:
        """Return how many times as long as at its fastest the loop takes now, on the slowest of some cores."""
        each_s = []
        for own in [[core] for core in cores] or [[]]:
            with _on(own):
                each_s.append(min(_loop_s() for _ in range(LOOPS)))
        self.fastest_s = min([self.fastest_s] + each_s)
        return max(each_s) / self.fastest_s

    def quiet(self, before: List[int], most_s: float) -> Quiet:
        """Find cores that are quiet, those of `before` if they are; after `most_s`, those that are slowed least."""
        begin = time.monotonic()
        places = sorted(self.places, key=lambda each: each != before)
        while True:
            found = []
            for cores in places:
                found.append(Quiet(cores, self.slowdown(cores), time.monotonic() - begin))
                if found[-1].slowdown <= QUIET:
                    return found[-1]
            if time.monotonic() - begin + PAUSE_S > most_s:
                return min(found, key=lambda each: each.slowdown)
            time.sleep(PAUSE_S)
