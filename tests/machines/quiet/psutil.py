"""psutil on a machine where nothing else happens, so that what a test finds does not hang on who else is working.

The variable BUSY_CORES says how many cores other processes keep busy all the time.
"""

import os
import resource
import time
from collections import namedtuple

__version__ = "0.0 (a quiet machine)"

Times = namedtuple("Times", "user idle")
Frequency = namedtuple("Frequency", "current")
Memory = namedtuple("Memory", "available")
Swap = namedtuple("Swap", "used")


def cpu_times(percpu):
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    others = float(os.environ.get("BUSY_CORES", "0")) * time.monotonic()
    return [Times(used.ru_utime + used.ru_stime + others, 0.0)]


def cpu_freq(percpu):
    return [Frequency(3000.0)]


def virtual_memory():
    return Memory(8 * 2**30)


def swap_memory():
    return Swap(0)
