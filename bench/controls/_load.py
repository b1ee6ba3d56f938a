"""Keep the first core busy while asked to: standard input says `1` for busy and `0` for rest, and ends this with it.

Usage: python -m bench.controls._load
"""

import os
import signal
import sys
import threading

from bench import machine

BUSY, REST = b"1", b"0"


def _work(busy: threading.Event) -> None:
    while True:
        busy.wait()
        while busy.is_set():
            pass


def main() -> None:
    """Begin at rest; return when standard input closes: when the bench ends, and when it is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the bench, which closes our input
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, set(machine.first_cores(1)))
    busy = threading.Event()
    threading.Thread(target=_work, args=(busy,), daemon=True).start()
    for word in iter(lambda: sys.stdin.buffer.read(1), b""):
        (busy.set if word == BUSY else busy.clear)()


if __name__ == "__main__":
    main()
