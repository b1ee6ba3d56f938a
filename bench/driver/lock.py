"""File locks: only one process at a time measures, writes results, prepares data or installs."""

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator

from bench import files, registry
from bench.errors import BusyError

FILE = ".lock"  # in a locked folder; the file stays there, empty
MACHINE = "rosetta-bench.lock"  # in the machine's temporary folder
PAUSE_S = 0.5  # between two attempts to take a lock
MEASURING = (
    "Another bench is measuring on this machine, and both would disturb each other. Wait until it ends, or stop it "
    "(its command continues where it stopped)."
)
WRITING = (
    "Another bench is writing into %s. Wait until it ends, stop it (its command continues where it stopped), or "
    "choose another folder with --results or --machine."
)
Say = Callable[[str], None]


@contextlib.contextmanager
def locked(folder: str, busy: str, name: str = FILE, say: Say | None = None) -> Iterator[None]:
    """Lock a folder for one process with a file in it; the system releases the lock when the process ends.

    If another process has the lock, raises BusyError with the message `busy`. With `say`, it says so once and waits.
    """
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, name)
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except PermissionError:
        file = os.open(path, os.O_RDONLY)  # another user's file; read access is enough to lock it
    try:
        is_said = False
        while not _is_taken(file):
            if say is None:
                raise BusyError(busy)
            if not is_said:
                say(busy)
            is_said = True
            time.sleep(PAUSE_S)
        yield
    finally:
        os.close(file)


def _is_taken(file: int) -> bool:
    """Take the lock of a file if it is free; return whether it was."""
    try:
        try:
            import fcntl
        except ImportError:
            import msvcrt  # Windows

            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextlib.contextmanager
def alone(*folders: str, say: Say | None = None) -> Iterator[None]:
    """Lock this machine, its state folder and `folders` for results, as `locked` does.

    Raises RecordError if a disk is full. The machine's lock reaches as far as its temporary folder: not into containers
    or to users with another one.
    """
    for folder in (registry.STATE, *folders):
        files.check_room(folder)
    with contextlib.ExitStack() as stack:
        stack.enter_context(locked(tempfile.gettempdir(), MEASURING, MACHINE, say))
        stack.enter_context(locked(registry.STATE, MEASURING, say=say))
        for folder in folders:
            stack.enter_context(locked(folder, WRITING % folder, say=say))
        yield
