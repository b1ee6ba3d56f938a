"""The processes of a call whose programs train on several devices, and what the first of them says to the others."""

import json
import os
import pickle
import subprocess
from typing import Any, Iterator, List, Optional, Sequence

from bench.errors import DeviceError
from bench.replies import Reply

ENDS_S = 1.0  # that a process may take to end after its connections are closed
_groups: List["Group"] = []  # of this process: one at most


class Group:
    """The processes of a call that share its batches. The process of rank 0 leads, and has pipes to the `others`."""

    def __init__(self, rank: int, size: int, folder: str, others: Sequence[Any] = ()) -> None:
        self.rank, self.size, self.folder, self.others = rank, size, folder, others
        self.programs = 0
        _groups.append(self)

    def failure(self, rank: int) -> str:
        """Return the path of a file that a rank writes if it fails: its reply."""
        return os.path.join(self.folder, "failure-%d.json" % rank)

    def tell(self, *command: Any) -> None:
        """Let the other processes do something: (number of the program, name of its method, arguments)."""
        self._send(command, False)

    def ask(self, *command: Any) -> Iterator[Any]:
        """Do what `tell` does, and return what they return, which is waited for when it is read."""
        self._send(command, True)
        return map(self._answer, self.others)

    def _send(self, command, is_asked):
        for other in self.others:
            try:
                pickle.dump((command, is_asked), other.stdin, protocol=4)
                other.stdin.flush()
            except OSError:
                self._answer(other)

    def _answer(self, other):
        try:
            return pickle.load(other.stdout)  # noqa: S301 - of a process that this one has started
        except EOFError:
            other.wait()
            raise DeviceError("The process of another device has ended.") from None


def current() -> Optional[Group]:
    """Return the group of this process, if its programs train on several devices with a process for each."""
    return _groups[0] if _groups else None


def failure() -> Optional[Reply]:
    """Return why another process of this call has ended, or None. A framework says only that a connection is closed."""
    group = current()
    for rank, other in enumerate(group.others if group else (), 1):
        try:
            code = other.wait(ENDS_S)
        except subprocess.TimeoutExpired:
            continue
        where, path = "Device %d of %d: " % (rank + 1, group.size), group.failure(rank)
        if not os.path.exists(path):
            return Reply("failed", where + "its process ended with code %d." % code)
        with open(path, encoding="utf-8") as file:
            reply = Reply(**json.load(file))
        return reply._replace(reason=where + str(reply.reason))
    return None
