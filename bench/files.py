"""Write files that last: names that are safe, room on the disk, and appending all of a line or none."""

import os
import re
import stat
import tempfile
import time
from typing import Optional

from bench.errors import RecordError

ROOM_BYTES = 1 << 16  # a disk with less is full: a record of a long run may take half of it
NAME = "[A-Za-z0-9][A-Za-z0-9 .,+_()=-]{0,63}"  # of a file without its ending, and of a folder


def now() -> str:
    """Return the time in UTC as results write it."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def name_problem(name: str) -> Optional[str]:
    """Return what is wrong with the name of a folder, or of a file without its ending; None where nothing is."""
    if re.fullmatch(NAME, name) and ".." not in name:
        return None
    return "expected a name of at most 64 letters, digits and .,+_()=-, a letter or digit first, got %s" % ascii(
        name[:80]
    )


def check_place(path: str) -> None:
    """Raise RecordError for a file that must not be opened: a link, a device, or one with an unsafe name or folder."""
    folder, name = os.path.split(os.path.abspath(path))
    problem = name_problem(os.path.basename(folder)) or name_problem(os.path.splitext(name)[0])
    if not problem and (os.path.islink(os.path.dirname(path)) or not stat.S_ISREG(os.lstat(path).st_mode)):
        problem = "expected a file in a folder, got a link or something else: results hold no links"
    if problem:
        raise RecordError("%s: %s" % (called(path), problem))


def called(path: str) -> str:
    """Return what messages call a file: its folder's name and its own, in ASCII."""
    return ascii(os.path.basename(os.path.dirname(path)) + "/" + os.path.basename(path))[1:-1]


def append(path: str, content: bytes) -> None:
    """Add all of `content` to a file and force it to the disk, or none: raises RecordError where it is full."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        whole = os.fstat(descriptor).st_size
        try:
            while content:
                content = content[os.write(descriptor, content) :]
            os.fsync(descriptor)
        except OSError:
            os.ftruncate(descriptor, whole)
            raise
        finally:
            os.close(descriptor)
    except OSError as error:
        raise _not_written(path, error) from None


def _not_written(path: str, error: OSError) -> RecordError:
    return RecordError(
        "%s cannot be written: %s. Make room or give leave to write, or choose another folder (--results; BENCH_STATE "
        "for .bench). Nothing recorded is lost: the same command goes on where it stopped." % (path, error.strerror)
    )


def check_room(folder: str) -> None:
    """Raise RecordError unless ROOM_BYTES can be written into `folder`, which is made where it is missing."""
    try:
        os.makedirs(folder, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(ROOM_BYTES))
            file.flush()
    except OSError as error:
        raise _not_written(folder, error) from None
