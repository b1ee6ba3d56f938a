"""Result files: JSON lines, append-only, each line checked against bench/results/schema.json on writing and on reading.

Each line ends in a seal, a hash of itself and of the seal before it, so that a line that was edited, removed or moved
is found on reading. A file may be anybody's: whatever is in it, and whatever it is called, reading refuses it with file
and line, or gives records that follow the schema.
"""

import collections
import hashlib
import json
import os
import re
import statistics
from typing import Any, Callable, Dict, Iterable, Iterator, List, NamedTuple, Optional, Sequence

from bench import files
from bench.errors import RecordError
from bench.results import schema

Record = Dict[str, Any]
Quick = Callable[[bytes], Optional[Record]]  # a line's record where it is right beyond doubt; None: look closer
LINE_BYTES = 1 << 22  # the longest line published has 30 KB; one that never ends must not fill the memory
KIND_OF_TASK = {"train": "run", "infer": "run", "epochs": "epochs", "fit": "epochs", "feed": "epochs"}
RUNS = frozenset(KIND_OF_TASK.values())


class Line(NamedTuple):
    """One line of a file: its record, or None and what is wrong with it; a seal that does not fit leaves both."""

    number: int
    record: Optional[Record]
    problem: Optional[str]


def is_run(line: Record) -> bool:
    """Say whether a line is about one fresh process that measured a case, or why it could not."""
    return line["kind"] in RUNS


def default_mode(environment: Record, task: str) -> Optional[str]:
    """Return the mode that an environment's line names as documented for a task; None of an empty one.

    Older lines name one for all tasks.
    """
    found = environment.get("default_modes", {}).get(task, environment.get("default_mode"))
    return None if found is None else str(found)


def of_kind(lines: Iterable[Record], kind: str) -> List[Record]:
    """Return the lines of one kind."""
    return [line for line in lines if line["kind"] == kind]


def counted_s(run: Record) -> List[float]:
    """Return the seconds per step of a run's blocks, or per epoch, that its number is made of; empty without a time.

    All blocks of a run that took turns count. One that was measured alone, as before there were turns, counts from when
    it is steady; all of it where it never is, or is too short to tell. Epochs count after the first; where only one was
    asked for, it is that one.
    """
    if run["status"] != "ok":
        return []
    if run["kind"] == "epochs":
        return run["epoch_s"][1:] or run["epoch_s"]
    if run["steps_per_block"] is None:
        return []
    first, steps = run["steady_from"] if run["is_steady"] and not took_turns(run) else 0, run["steps_per_block"]
    return [block_s / steps for block_s in run["block_s"][first:]]


def took_turns(run: Record) -> bool:
    """Say whether a run's blocks were measured in turns with those of its rivals."""
    return bool(run.get("block_order"))


def time_s(run: Record) -> Optional[float]:
    """Return a run's one number, in seconds per step or epoch; None without a time.

    Of a run that took turns, the lower decile of its blocks, which what disturbs a machine moves least:
    docs/method.md tells how it was chosen. Else the median of what counts of it.
    """
    counted = counted_s(run)
    if not counted:
        return None
    return lower_decile(counted) if took_turns(run) else float(statistics.median(counted))


def lower_decile(values: Sequence[float]) -> float:
    """Return the value below which a tenth of some numbers lies, between two of them by their distance."""
    ordered, place = sorted(values), (len(values) - 1) / 10.0
    low = int(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def _refuse_twice(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = min(name for name, count in collections.Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError("a field stands twice: %s" % ascii(twice[:80]))
    return found


def _refuse_constant(text):
    raise ValueError("%s is not JSON" % text)


HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # of a character


def _parse(number: int, line: bytes, quick: Quick) -> Line:
    """Return one line's record, or what is wrong with it."""
    if len(line) > LINE_BYTES:
        return Line(number, None, "expected at most %d bytes in a line, got more" % LINE_BYTES)
    right = quick(line)
    if right is not None:
        return Line(number, right, None)
    try:
        record = json.loads(line.decode("utf-8"), object_pairs_hook=_refuse_twice, parse_constant=_refuse_constant)
        if HALF.search(line):
            json.dumps(record, ensure_ascii=False).encode("utf-8")  # half a character cannot be written anywhere
    except UnicodeEncodeError:
        return Line(number, None, "not a JSON record (half a character: a surrogate alone)")
    except (ValueError, RecursionError) as error:  # in a line of ASCII
        return Line(number, None, "not a JSON record (%s)" % ascii(str(error))[1:-1])
    found = "; ".join(problems(record)[:3])
    return Line(number, None if found else record, found or None)


def problems(record: Any) -> List[str]:
    """Return what is wrong with a record: by the schema, and with a task that is not of its kind of line."""
    found = schema.problems(record)
    if not found and other_kind(record):
        found.append("case.task: expected one of a line of kind %s, got %s" % (record["kind"], record["case"]["task"]))
    return found


def other_kind(record: Record) -> bool:
    """Say whether a record that follows the schema has a task that is not of its kind of line."""
    return is_run(record) and KIND_OF_TASK[record["case"]["task"]] != record["kind"]


def seal(record: Record, before: str) -> str:
    """Return the seal of a record that follows one sealed `before` (empty for the first): 16 hexadecimal digits."""
    content = json.dumps({name: value for name, value in record.items() if name != "seal"}, sort_keys=True)
    return hashlib.sha256((before + content).encode("utf-8")).hexdigest()[:16]


def _fits(record: Record, content: bytes, before: str) -> bool:
    """Say whether a record has the seal that belongs to it; as a line is written, that is the hash of all but it."""
    own = str(record.get("seal"))
    start, _, end = content.rstrip(b"\n").partition((', "seal": "%s"' % own).encode("utf-8"))
    written = hashlib.sha256(before.encode("utf-8") + start + end).hexdigest()[:16]
    return written == own or seal(record, before) == own


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True


def lines(path: str) -> Iterator[bytes]:
    """Yield a file's lines one by one, without what was cut off at its end; the last is one that is too long."""
    with open(path, "rb") as file:
        while True:
            line = file.readline(LINE_BYTES + 1)
            is_last = len(line) > LINE_BYTES or not line.endswith(b"\n")
            if not is_last or len(line) > LINE_BYTES or _is_json(line):
                yield line
            if is_last:
                return


def scan(path: str, quick: Quick = lambda _: None) -> Iterator[Line]:
    """Yield every line of a file, right or wrong; one line is in memory at a time.

    Nearly all lines are right: `quick` may be at hand, that says so in a fraction of the time
    (analysis/load/decode.py).

    What a kill or a full disk cut off while it was written, at the end of the file, is no line. Files of before there
    were seals have none; after a line that is no record, the next one's seal cannot be told.
    """
    is_sealed = None  # type: Optional[bool]
    before = ""  # type: Optional[str]
    for number, content in enumerate(lines(path), 1):
        line = _parse(number, content, quick)
        record, last = line.record, before
        before = None
        if record is not None:
            is_sealed = "seal" in record if is_sealed is None else is_sealed
            before = record.get("seal", "")
            if last is not None and (is_sealed or before) and not _fits(record, content, last):
                line = line._replace(problem=(
                    "expected the seal %s, got %s: this line, or one before it, is not as it was written. Results are "
                    "never edited: restore the file, or move it out of the results."
                    % (seal(record, last), record.get("seal"))))  # fmt: skip
        yield line


def read(path: str, quick: Quick = lambda _: None) -> List[Record]:
    """Return a file's records in order, see `scan`.

    Raises RecordError naming file, line and field of the first that is wrong.
    """
    files.check_place(path)
    found = []
    for line in scan(path, quick):
        if line.problem or line.record is None:
            raise RecordError("%s, line %d: %s" % (files.called(path), line.number, line.problem))
        found.append(line.record)
    return found


def append(path: str, record: Record) -> None:
    """Add one record and force it to the disk, or leave the file as it was.

    Raises RecordError, before writing when the record breaks the schema, and when the disk does not take it.
    """
    found = problems(record)
    if found:
        raise RecordError("refused to write to %s: %s" % (os.path.basename(path), "; ".join(found[:3])))
    line = json.dumps(record, sort_keys=True, allow_nan=False) + "\n"
    files.append(path, line.encode("utf-8"))


def mend(path: str) -> None:
    """Let the next record start on a line of its own: remove what was cut off at the end, or end a whole last line."""
    with open(path, "rb+") as file:
        content = file.read()
        end = content.rfind(b"\n") + 1
        if _is_json(content[end:]):
            file.write(b"\n")  # an editor took it away
        else:
            file.truncate(end)
