"""One at a time: files that a process locks while it measures, writes results, prepares data or installs."""

import contextlib
import os
import tempfile
import time
from typing import Any, Callable, Iterator, Optional

from bench import files, registry
from bench.errors import BusyError

FILE = ".lock"  # in a folder that is held; it stays there, always empty, and is part of nothing
MACHINE = "rosetta-bench.lock"  # in the machine's temporary folder
PAUSE_S = 0.5  # between two looks at what another process holds


class Lock:
    """Holds a folder for one process, by a file in it; the system lets go of it when that process ends, however.

    Entering raises BusyError with the message `busy` when another process holds it.
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
        """Hold the folder as soon as nobody else does; says `busy`, once, where that takes a while."""
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
        return os.open(path, os.O_RDONLY)  # another user's file: that is enough to lock it


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
    """Hold this machine, its state and the `folders` results go to; raises RecordError without room.

    While another process holds one, it raises BusyError, or with `say` it says so once and waits.
    A machine is as far as its temporary folder reaches: all checkouts on it, and no container or user that has another.
    """
    measuring = (
        "Another bench is measuring on this machine: the two would disturb each other. Wait for it, or end it (it goes "
        "on where it stopped)."
    )
    writing = (
        "Another bench is writing into %s. Wait for it, or end it (it goes on where it stopped), or choose another "
        "folder with --results or --machine."
    )
    for folder in (registry.STATE,) + folders:
        files.check_room(folder)
    locks = [Lock(tempfile.gettempdir(), measuring, MACHINE), Lock(registry.STATE, measuring)]
    locks += [Lock(folder, writing % folder) for folder in folders]
    with contextlib.ExitStack() as stack:
        for each in locks:
            stack.enter_context(each.waited(say) if say else each)
        yield
