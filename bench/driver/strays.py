"""What a worker has started and left behind: found by a mark in its environment, and ended."""

import contextlib
import os
import shutil
import signal
import time
from typing import Callable, Iterator, Optional

from bench import registry

CALLS = os.path.join(os.path.abspath(registry.STATE), "calls")  # a folder for each call while it is made
MARK = "BENCH_CALL"  # the variable by which all that a call has started is found: it names the call's folder
END_S = 5.0  # within which a killed process has to be gone


def marked(folder: str) -> Iterator[int]:
    """Yield the processes that carry a call's mark, also those that left its session; Linux only, elsewhere none."""
    mark = os.fsencode("%s=%s" % (MARK, folder))
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        try:
            with open("/proc/%d/environ" % int(name), "rb") as file:
                if mark in file.read().split(b"\0"):
                    yield int(name)
        except (ValueError, OSError):
            continue  # no process, one that has ended, or another user's


def kill(number: int, by: Callable[[int, int], None] = os.kill) -> None:
    """Kill a process, or with `os.killpg` a group, unless it has ended."""
    with contextlib.suppress(OSError):
        by(number, signal.SIGKILL)


def end(folder: str) -> None:
    """Kill what carries a call's mark until nothing does: it may start others meanwhile."""
    begin = time.monotonic()
    while time.monotonic() - begin < END_S:
        found = list(marked(folder))
        if not found:
            return
        for number in found:
            kill(number)
        time.sleep(0.01)


def clear(ended: Optional[int] = None) -> None:
    """End what the calls of a bench that was killed have left running, and remove their folders.

    Those of the bench `ended`, too: an interrupt may come when a call's folder is made and nobody holds it yet.
    """
    for name in os.listdir(CALLS) if os.path.isdir(CALLS) else []:
        owner = int(name.partition("-")[0])
        if owner == ended or not _is_alive(owner):
            folder = os.path.join(CALLS, name)
            end(folder)
            shutil.rmtree(folder, ignore_errors=True)


def _is_alive(number: int) -> bool:
    if os.name != "posix":
        return False  # there, a signal 0 would end it; the lock tells that no other bench runs
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # another user's
    return True
