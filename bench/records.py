"""Result files: JSON lines, append-only, each line checked against bench/schema.json on writing and on reading.

Each line ends in a seal, a hash of itself and of the seal before it, so that a line that was edited, removed or moved
is found on reading.
"""

import hashlib
import json
import os
import statistics
import tempfile
from typing import Any, Dict, List, Optional

from bench import schema
from bench.errors import RecordError

Record = Dict[str, Any]
ROOM_BYTES = 1 << 16  # a disk with less is full: a record of a long run may take half of it


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
    return float(statistics.median(counted)) if counted else None


def _refuse_twice(pairs):
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError("a field stands twice: %s" % sorted(name for name in found if names.count(name) > 1))
    return found


def _refuse_constant(text):
    raise ValueError("%s is not JSON" % text)


def parse(line: bytes, where: str) -> Record:
    """Return the record of one line; raises RecordError that names `where` and the field."""
    try:
        record = json.loads(line.decode("utf-8"), object_pairs_hook=_refuse_twice, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise RecordError("%s: not a JSON record (%s)" % (where, error)) from None
    problems = schema.problems(record)
    if problems:
        raise RecordError("%s: %s" % (where, "; ".join(problems[:3])))
    return record


def seal(record: Record, before: str) -> str:
    """Return the seal of a record that follows one sealed `before` (empty for the first): 16 hexadecimal digits."""
    content = json.dumps({name: value for name, value in record.items() if name != "seal"}, sort_keys=True)
    return hashlib.sha256((before + content).encode("utf-8")).hexdigest()[:16]


def _fits(record: Record, line: bytes, before: str) -> bool:
    """Say whether a record has the seal that belongs to it; as a line is written, that is the hash of all but it."""
    own = str(record.get("seal"))
    written = line.replace((', "seal": "%s"' % own).encode("utf-8"), b"", 1)
    return hashlib.sha256(before.encode("utf-8") + written).hexdigest()[:16] == own or seal(record, before) == own


def _check_seals(records: List[Record], lines: List[bytes], name: str) -> None:
    """Raise RecordError at the first line whose seal does not fit; files of before there were seals have none."""
    if not any("seal" in record for record in records):
        return
    before = ""
    for number, (record, line) in enumerate(zip(records, lines), 1):
        if not _fits(record, line, before):
            raise RecordError(
                "%s, line %d: expected the seal %s, got %s: this line, or one before it, is not as it was written. "
                "Results are never edited: restore the file, or move it out of the results."
                % (name, number, seal(record, before), record.get("seal"))
            )
        before = record["seal"]


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True


def read(path: str) -> List[Record]:
    """Return a file's records in order; raises RecordError naming file, line and field of the first that is wrong.

    What a kill or a full disk cut off while it was written, at the end of the file, is no record, and left out.
    """
    with open(path, "rb") as file:
        return read_all(file.read(), os.path.basename(os.path.dirname(path)) + "/" + os.path.basename(path))


def read_all(content: bytes, name: str) -> List[Record]:
    """Return the records of a file's content as `read` does; `name` stands for the file in an error."""
    lines = content.split(b"\n")
    if not _is_json(lines[-1]):
        lines.pop()
    found = [parse(line, "%s, line %d" % (name, number)) for number, line in enumerate(lines, 1)]
    _check_seals(found, lines, name)
    return found


def append(path: str, record: Record) -> None:
    """Add one record and force it to the disk, or leave the file as it was.

    Raises RecordError, before writing when the record breaks the schema, and when the disk does not take it.
    """
    problems = schema.problems(record)
    if problems:
        raise RecordError("refused to write to %s: %s" % (os.path.basename(path), "; ".join(problems[:3])))
    line = json.dumps(record, sort_keys=True, allow_nan=False) + "\n"
    try:
        _append(path, line.encode("utf-8"))
    except OSError as error:
        raise _not_written(path, error) from None


def _append(path: str, content: bytes) -> None:
    """Add all of `content` to a file, or none where the disk is full."""
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


def mend(path: str) -> None:
    """Let the next record start on a line of its own: remove what was cut off at the end, or end a whole last line."""
    with open(path, "rb+") as file:
        content = file.read()
        end = content.rfind(b"\n") + 1
        if _is_json(content[end:]):
            file.write(b"\n")  # an editor took it away
        else:
            file.truncate(end)
