"""Load the machine in waves: one core busy for so many seconds, then idle for as many, until the parent is gone.

Usage: python -m bench.controls._load SECONDS PARENT
"""

import os
import sys
import time


def main(seconds: float, parent: int) -> None:
    """Begin busy; return once this process has another parent than `parent`."""
    begun = time.monotonic()
    while os.getppid() == parent:
        is_busy = (time.monotonic() - begun) // seconds % 2 == 0
        until = time.monotonic() + 0.1
        while is_busy and time.monotonic() < until:
            pass
        time.sleep(0.0 if is_busy else 0.1)


if __name__ == "__main__":
    main(float(sys.argv[1]), int(sys.argv[2]))
