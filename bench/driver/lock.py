"""Locks: only one process at a time measures, writes results, prepares data or installs."""

import contextlib
import errno
import hashlib
import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator

from bench import files, registry
from bench.driver import node
from bench.errors import BusyError

FILE = ".lock"  # in a locked folder; the file stays there, empty
HAS_ABSTRACT_SOCKETS = sys.platform == "linux"
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
        _wait(lambda: _is_taken(file), busy, say)
        yield
    finally:
        os.close(file)


def _wait(take: Callable[[], bool], busy: str, say: Say | None) -> None:
    """Call `take` until it returns true, see `locked`."""
    is_said = False
    while not take():
        if say is None:
            raise BusyError(busy)
        if not is_said:
            say(busy)
        is_said = True
        time.sleep(PAUSE_S)


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
def machine(say: Say | None = None) -> Iterator[None]:
    """Lock this machine for one process, as `locked` does, whatever its user and its temporary folder are.

    On Linux the lock is an abstract Unix socket with the node's name. Other systems have none: there it is a file in
    the temporary folder.
    """
    name = "rosetta-bench-" + hashlib.sha256(os.fsencode(node.name())).hexdigest()[:16]
    if not HAS_ABSTRACT_SOCKETS:
        with locked(tempfile.gettempdir(), MEASURING, f"{name}.lock", say):
            yield
        return
    with socket.socket(socket.AF_UNIX) as holder:
        _wait(lambda: _is_bound(holder, f"\0{name}"), MEASURING, say)
        yield


def _is_bound(holder: socket.socket, address: str) -> bool:
    """Bind a socket to an address if that is free; return whether it was."""
    try:
        holder.bind(address)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        return False
    return True


@contextlib.contextmanager
def alone(*folders: str, say: Say | None = None, number: int | None = None) -> Iterator[None]:
    """Lock this machine, its state folder and `folders` for results, as `locked` does.

    Nodes with a `number` share these folders: each locks them for its own files. Raises RecordError if a disk is full.
    The machine's lock does not reach into containers with a network of their own.
    """
    for folder in (registry.STATE, *folders):
        files.check_room(folder)
    with contextlib.ExitStack() as stack:
        stack.enter_context(machine(say))
        stack.enter_context(locked(registry.STATE, MEASURING, say=say))
        for folder in folders:
            stack.enter_context(locked(folder, WRITING % folder, FILE + node.suffix(number), say))
        yield
