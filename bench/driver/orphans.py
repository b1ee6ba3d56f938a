"""Find and end orphan processes: those that a worker started and left, known by a mark in their environment."""

import contextlib
import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator

from bench import registry, replies

CALLS = os.path.join(os.path.abspath(registry.STATE), "calls")  # one folder per running call
MARK = replies.MARK
END_S = 5.0  # time limit within which a killed process must be gone


def marked(folder: str) -> Iterator[int]:
    """Yield the IDs of processes with a call's mark, in any session; Linux only, elsewhere none."""
    mark = os.fsencode(f"{MARK}={folder}")
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else []:
        try:
            with open(f"/proc/{int(name)}/environ", "rb") as file:
                if mark in file.read().split(b"\0"):
                    yield int(name)
        except (ValueError, OSError):
            continue  # not a process, an ended one, or another user's


def kill(number: int, by: Callable[[int, int], None] = os.kill) -> None:
    """Kill a process (with `os.killpg` a group); ignore it if it has ended."""
    with contextlib.suppress(OSError):
        by(number, signal.SIGKILL)


def end(folder: str) -> None:
    """Kill the processes with a call's mark until there are none, because they may start others."""
    begin = time.monotonic()
    while time.monotonic() - begin < END_S:
        numbers = list(marked(folder))
        if not numbers:
            return
        for number in numbers:
            kill(number)
        time.sleep(0.01)


def clear(ended: int | None = None) -> None:
    """End the orphan processes of killed benches, and remove their calls' folders.

    Includes the calls of the process ID `ended`: an interrupt may come before a new folder belongs to a worker.
    """
    for name in os.listdir(CALLS) if os.path.isdir(CALLS) else []:
        owner, folder = int(name.partition("-")[0]), os.path.join(CALLS, name)
        if owner == ended or not _is_alive(owner):
            end(folder)
            shutil.rmtree(folder, ignore_errors=True)


def _is_alive(number: int) -> bool:
    if os.name != "posix":
        return False  # signal 0 would end it there; the lock proves that no other bench runs
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True  # another user's
    try:
        with open(f"/proc/{number}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] != b"Z"  # of a zombie, only the exit code is left
    except OSError:
        return True  # no Linux
