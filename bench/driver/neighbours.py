"""Whether somebody else slows the cores that blocks are timed on, which no counter of a rented machine tells.

What a hypervisor rents out as a core is often one of the two threads of a core: while a neighbour computes on the
other, everything here takes a third to all as long again, by program, for tenths of a second to minutes. A short loop
that is always the same tells it right before a block. It tells of a rival whose threads are not yet asleep as well.
"""

import contextlib
import os
import time
from typing import Dict, Iterator, List, NamedTuple

from bench import machine

LOOPS = 3  # of which the fastest counts: the first after a rest meets empty caches
ADDS = 20000  # of a loop, about 0.3 ms: plain Python, which a neighbour slows most
QUIET = 1.4  # as many times its fastest takes a loop at most on a core without a neighbour, and twice beside one
PAUSE_S = 0.1  # between two looks
ANY = -1  # a core, where the system keeps no process on one


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
def _on(core: int) -> Iterator[None]:
    """Keep this thread there meanwhile."""
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
    """Looks at the cores that runs may be timed on; the more often it looked, the better it knows their best."""

    def __init__(self, threads: int) -> None:
        self.places = machine.places(threads)
        self.fastest_s: Dict[int, float] = {}  # by core, for not all need be alike

    def slowdown(self, cores: List[int]) -> float:
        """Return how many times as long as at its fastest the loop takes now, on the slowest of some cores."""
        found = 1.0
        for core in cores or [ANY]:
            with _on(core):
                now_s = min(_loop_s() for _ in range(LOOPS))
            self.fastest_s[core] = min(self.fastest_s.get(core, now_s), now_s)
            found = max(found, now_s / self.fastest_s[core])
        return found

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
