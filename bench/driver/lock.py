"""File locks: only one process at a time measures, writes results, prepares data or installs."""

import contextlib
import os
import tempfile
import time
from typing import Any, Callable, Iterator, Optional

from bench import files, registry
from bench.errors import BusyError

FILE = ".lock"  # in a locked folder; the file stays there, empty
MACHINE = "rosetta-bench.lock"  # in the machine's temporary folder
PAUSE_S = 0.5  # between two attempts to take a lock


class Lock:
    """Locks a folder for one process with a file in it; the system releases the lock when the process ends.

    Entering raises BusyError with the message `busy` if another process holds the lock.
    """

    def __init__(self, folder: str, busy: str, name: str = FILE) -> None:
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, name)
        self.busy = busy

    def __enter__(self) -> "Lock":
        self.file = _open(self.path)
        try:
            _lock(self.file)
        except OSError:
            os.close(self.file)
            raise BusyError(self.busy) from None
        return self

    def __exit__(self, *_: Any) -> None:
        os.close(self.file)

    @contextlib.contextmanager
    def waited(self, say: Callable[[str], None]) -> Iterator[None]:
        """Hold the lock, waiting until it is free; calls `say` once with `busy` if it is not free at once."""
        is_said = False
        while not self._enters():
            if not is_said:
                say(self.busy)
            is_said = True
            time.sleep(PAUSE_S)
        try:
            yield
        finally:
            self.__exit__()

    def _enters(self) -> bool:
        try:
            self.__enter__()
        except BusyError:
            return False
        return True


def _open(path: str) -> int:
    try:
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except PermissionError:
        return os.open(path, os.O_RDONLY)  # another user's file; read access is enough to lock it


def _lock(file: int) -> None:
    try:
        import fcntl
    except ImportError:
        import msvcrt  # Windows

        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
    else:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextlib.contextmanager
def alone(*folders: str, say: Optional[Callable[[str], None]] = None) -> Iterator[None]:
    """Lock this machine, its state folder and `folders` for results.

    Raises BusyError if another process holds a lock; with `say`, it says so once and waits instead. Raises RecordError
    if a disk is full. The machine's lock reaches as far as its temporary folder: not into containers or to users with
    another one.
    """
    measuring = (
        "Another bench is measuring on this machine, and both would disturb each other. Wait until it ends, or stop it "
        "(its command continues where it stopped)."
    )
    writing = (
        "Another bench is writing into %s. Wait until it ends, stop it (its command continues where it stopped), or "
        "choose another folder with --results or --machine."
    )
    for folder in (registry.STATE,) + folders:
        files.check_room(folder)
    locks = [Lock(tempfile.gettempdir(), measuring, MACHINE), Lock(registry.STATE, measuring)]
    locks += [Lock(folder, writing % folder) for folder in folders]
    with contextlib.ExitStack() as stack:
        for each in locks:
            stack.enter_context(each.waited(say) if say else each)
        yield
