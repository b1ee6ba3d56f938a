"""Read and write result files: append-only JSON lines, each checked against bench/results/schema.json.

Each line ends in a seal, a hash of the line and of the previous seal. Reading therefore detects lines that were edited,
removed or moved. Files may come from anyone: reading returns records that follow the schema, or refuses the file with
its name and line.
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
Quick = Callable[[bytes], Optional[Record]]  # returns a line's record if it is certainly valid; None: check it fully
LINE_BYTES = 1 << 22  # limit against lines that never end; the longest published line has 30 KB
KIND_OF_TASK = {"train": "run", "infer": "run", "epochs": "epochs", "fit": "epochs", "feed": "epochs"}
RUNS = frozenset(KIND_OF_TASK.values())


class Line(NamedTuple):
    """One line of a file. `record` is None if `problem` says why; a wrong seal leaves both."""

    number: int
    record: Optional[Record]
    problem: Optional[str]


def is_run(line: Record) -> bool:
    """Return whether a line describes one worker process that measured a case, or why it could not."""
    return line["kind"] in RUNS


def default_mode(environment: Record, task: str) -> Optional[str]:
    """Return the default mode that an environment's line names for a task; None if it names none.

    Older lines name one mode for all tasks.
    """
    found = environment.get("default_modes", {}).get(task, environment.get("default_mode"))
    return None if found is None else str(found)


def of_kind(lines: Iterable[Record], kind: str) -> List[Record]:
    """Return the lines of one kind."""
    return [line for line in lines if line["kind"] == kind]


def counted_s(run: Record) -> List[float]:
    """Return the seconds per step (blocks) or per epoch that a run's number is made of; empty without a time.

    All blocks count if the run took turns. A run measured alone (older results) counts from where it is steady; if that
    is unknown or never, all of it counts. Epochs count after the first, unless there is only one.
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
    """Return whether a run's blocks alternated with those of its rivals."""
    return bool(run.get("block_order"))


def time_s(run: Record) -> Optional[float]:
    """Return a run's number in seconds per step or epoch; None without a time.

    It is the lower decile of the blocks if the run took turns (docs/method.md), otherwise the median of `counted_s`.
    """
    counted = counted_s(run)
    if not counted:
        return None
    return lower_decile(counted) if took_turns(run) else float(statistics.median(counted))


def lower_decile(values: Sequence[float]) -> float:
    """Return the 10 % quantile of some numbers, with linear interpolation."""
    ordered, place = sorted(values), (len(values) - 1) / 10.0
    low = int(place)
    return ordered[low] + (place - low) * (ordered[min(low + 1, len(ordered) - 1)] - ordered[low])


def _refuse_twice(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = min(name for name, count in collections.Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError("the field %s occurs twice" % ascii(twice[:80]))
    return found


def _refuse_constant(text):
    raise ValueError("%s is not JSON" % text)


HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # half of a character (a lone surrogate)


def _parse(number: int, line: bytes, quick: Quick) -> Line:
    """Return the record of one line, or what is wrong with it."""
    if len(line) > LINE_BYTES:
        return Line(number, None, "expected at most %d bytes in a line, got more" % LINE_BYTES)
    right = quick(line)
    if right is not None:
        return Line(number, right, None)
    try:
        record = json.loads(line.decode("utf-8"), object_pairs_hook=_refuse_twice, parse_constant=_refuse_constant)
        if HALF.search(line):
            # fails for half a character, which cannot be written anywhere
            json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return Line(number, None, "not a JSON record (half a character: a surrogate alone)")
    except (ValueError, RecursionError) as error:  # `ascii` keeps the message in ASCII
        return Line(number, None, "not a JSON record (%s)" % ascii(str(error))[1:-1])
    found = "; ".join(problems(record)[:3])
    return Line(number, None if found else record, found or None)


def problems(record: Any) -> List[str]:
    """Return what is wrong with a record: schema violations, or a task that does not fit its kind of line."""
    found = schema.problems(record)
    if not found and other_kind(record):
        found.append("case.task: expected a task of kind %s, got %s" % (record["kind"], record["case"]["task"]))
    return found


def other_kind(record: Record) -> bool:
    """Return whether the task of a record that follows the schema belongs to another kind of line."""
    return is_run(record) and KIND_OF_TASK[record["case"]["task"]] != record["kind"]


def seal(record: Record, before: str) -> str:
    """Return the seal (16 hexadecimal digits) of a record after one sealed `before` ("" for the first)."""
    content = json.dumps({name: value for name, value in record.items() if name != "seal"}, sort_keys=True)
    return hashlib.sha256((before + content).encode("utf-8")).hexdigest()[:16]


def _fits(record: Record, content: bytes, before: str) -> bool:
    """Return whether a record has the right seal: the hash of its written line without the seal."""
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
    """Yield a file's lines, without an incomplete last one; a line longer than LINE_BYTES is the last."""
    with open(path, "rb") as file:
        while True:
            line = file.readline(LINE_BYTES + 1)
            is_last = len(line) > LINE_BYTES or not line.endswith(b"\n")
            if not is_last or len(line) > LINE_BYTES or _is_json(line):
                yield line
            if is_last:
                return


def scan(path: str, quick: Quick = lambda _: None) -> Iterator[Line]:
    """Yield every line of a file, valid or not, with one line in memory at a time.

    `quick` may recognise valid lines in a fraction of the time (analysis/load/decode.py).

    An incomplete last line, left by a kill or a full disk, is skipped. Files from before seals were introduced have
    none. After an invalid line, the next seal cannot be checked.
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
                    "expected the seal %s, got %s: this line or an earlier one was changed after writing. Results are "
                    "never edited: restore the file, or move it out of the results."
                    % (seal(record, last), record.get("seal"))))  # fmt: skip
        yield line


def read(path: str, quick: Quick = lambda _: None) -> List[Record]:
    """Return a file's records in order, see `scan`.

    Raises RecordError with file, line and field of the first fault.
    """
    files.check_place(path)
    found = []
    for line in scan(path, quick):
        if line.problem or line.record is None:
            raise RecordError("%s, line %d: %s" % (files.called(path), line.number, line.problem))
        found.append(line.record)
    return found


def append(path: str, record: Record) -> None:
    """Append one record and flush it to the disk, or leave the file unchanged.

    Raises RecordError if the record breaks the schema, or if the disk does not accept it.
    """
    found = problems(record)
    if found:
        raise RecordError("refused to write to %s: %s" % (os.path.basename(path), "; ".join(found[:3])))
    line = json.dumps(record, sort_keys=True, allow_nan=False) + "\n"
    files.append(path, line.encode("utf-8"))


def mend(path: str) -> None:
    """Make the next record start on a new line: remove an incomplete last line, or end a complete one."""
    with open(path, "rb+") as file:
        content = file.read()
        end = content.rfind(b"\n") + 1
        if _is_json(content[end:]):
            file.write(b"\n")  # an editor removed it
        else:
            file.truncate(end)
