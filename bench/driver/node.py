"""Names and numbers of the nodes of a cluster, by which equal nodes share a results folder."""

import itertools
import os
import platform
import tempfile

NUMBERED = "-node"  # in a name, before the number


def name() -> str:
    """Return this node's name: BENCH_NODE, else Slurm's name of it, else the host's without its domain."""
    stated = os.environ.get("BENCH_NODE") or os.environ.get("SLURMD_NODENAME")
    return stated or platform.node().partition(".")[0]


def number(folder: str) -> int:
    """Return this node's number, from 1, among the nodes that share `folder`; the first call claims it.

    The file `folder/N` holds the name of node N, so the folder is private. A link creates the file with its content, so
    no two nodes can claim one number. Raises OSError if the folder cannot be written to, or has no hard links.
    """
    os.makedirs(folder, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=folder, prefix=".", encoding="utf-8") as file:
        file.write(name())
        file.flush()
        os.chmod(file.name, 0o644)  # other users may have the other nodes
        return next(each for each in itertools.count(1) if _is_claimed(file.name, os.path.join(folder, str(each))))


def _is_claimed(own: str, path: str) -> bool:
    """Claim a number if it is free; return whether it is this node's."""
    try:
        os.link(own, path)
    except FileExistsError:  # also after a link whose answer a network file system lost
        with open(path, encoding="utf-8") as file:
            return file.read() == name()
    return True


def suffix(number: int | None) -> str:
    """Return what the names of a node's files end with: "-node3"; nothing without a number."""
    return "" if number is None else f"{NUMBERED}{number}"
