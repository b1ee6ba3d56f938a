"""Result files: JSON lines, append-only, each line checked against bench/schema.json on writing and on reading."""

import json
import os
from typing import Any, Dict, List, Optional

import numpy as np

from bench import schema
from bench.errors import RecordError

Record = Dict[str, Any]


def counted_s(run: Record) -> List[float]:
    """Return the seconds per step of a run's blocks, or per epoch, that its number is made of; empty without a time.

    Blocks count from when the run is steady; all of them where it never is, or is too short to tell. Epochs count after
    the first; where only one was asked for, it is that one.
    """
    if run["status"] != "ok":
        return []
    if run["kind"] == "epochs":
        return run["epoch_s"][1:] or run["epoch_s"]
    first = run["steady_from"] if run["is_steady"] else 0
    return [block_s / run["steps_per_block"] for block_s in run["block_s"][first:]]


def time_s(run: Record) -> Optional[float]:
    """Return a run's one number: the median of what counts of it, in seconds per step or epoch; None without a time."""
    counted = counted_s(run)
    return float(np.median(counted)) if counted else None


def _refuse_twice(pairs):
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        raise ValueError("a field stands twice: %s" % sorted(name for name in set(names) if names.count(name) > 1))
    return dict(pairs)


def _refuse_constant(text):
    raise ValueError("%s is not JSON" % text)


def parse(line: str, where: str) -> Record:
    """Return the record of one line; raises RecordError that names `where` and the field."""
    try:
        record = json.loads(line, object_pairs_hook=_refuse_twice, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise RecordError("%s: not a JSON record (%s)" % (where, error)) from None
    problems = schema.problems(record)
    if problems:
        raise RecordError("%s: %s" % (where, "; ".join(problems[:3])))
    return record


def read(path: str) -> List[Record]:
    """Return a file's records in order; raises RecordError naming file, line and field of the first that is wrong.

    A last line without its newline was cut off by a kill while it was written: it is no record, and left out.
    """
    name = os.path.basename(os.path.dirname(path)) + "/" + os.path.basename(path)
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    return [parse(line, "%s, line %d" % (name, number)) for number, line in enumerate(lines[:-1], 1)]


def append(path: str, record: Record) -> None:
    """Add one record and force it to the disk; raises RecordError before writing when it breaks the schema."""
    problems = schema.problems(record)
    if problems:
        raise RecordError("refused to write to %s: %s" % (os.path.basename(path), "; ".join(problems[:3])))
    line = json.dumps(record, sort_keys=True, allow_nan=False) + "\n"
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        written = os.write(descriptor, line.encode("utf-8"))
        if written != len(line.encode("utf-8")):
            raise OSError("only %d of %d bytes could be written to %s: is the disk full?" % (written, len(line), path))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def drop_partial_line(path: str) -> None:
    """Remove what a kill left after the last newline, so that the next record starts a line of its own."""
    with open(path, "rb+") as file:
        content = file.read()
        if content and not content.endswith(b"\n"):
            file.truncate(content.rfind(b"\n") + 1)
