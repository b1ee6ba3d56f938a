"""Read and write result files: append-only JSON lines, each checked against the classes of lines.py.

Each line ends in a seal, a hash of the line and of the previous seal. Reading therefore detects lines that were edited,
removed or moved. Files may come from anyone: reading returns typed lines, or refuses the file with its name and line.
"""

import collections
import hashlib
import json
import os
import re
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, TypeVar

from bench import files
from bench.errors import RecordError
from bench.results import lines, schema
from bench.results.lines import Epochs, Line, Run

AnyLine = TypeVar("AnyLine", bound=Line)
Quick = Callable[[bytes], Line | None]  # returns a line if it is certainly valid; None: check it fully
LINE_BYTES = 1 << 22  # limit against lines that never end; the longest published line has 30 KB
KIND_OF_TASK = {"train": "run", "infer": "run", "epochs": "epochs", "fit": "epochs", "feed": "epochs"}
RUNS = frozenset(KIND_OF_TASK.values())


class Scanned(NamedTuple):
    """One line of a file. `line` is None if `problem` says why; a wrong seal leaves both."""

    number: int
    line: Line | None
    problem: str | None


def kind(line: Line) -> str:
    """Return the kind of a line, as its file names it."""
    return str(getattr(line, "kind"))  # noqa: B009 - each class has its own


def default_mode(environment: lines.Environment | None, task: str) -> str | None:
    """Return the default mode that an environment's line names for a task; None without a line."""
    return environment.default_of(task) if environment else None


def of_class(content: Iterable[Line], kind: type[AnyLine]) -> list[AnyLine]:
    """Return the lines of one class."""
    return [line for line in content if isinstance(line, kind)]


def timed_s(run: Run | Epochs) -> list[float]:
    """Return the seconds of a run's blocks or epochs."""
    return run.epoch_s if isinstance(run, Epochs) else run.block_s


def counted_s(run: Run | Epochs) -> list[float]:
    """Return the seconds per step (blocks) or per epoch that a run's number is made of; empty without a time.

    All blocks count if the run took turns. A run measured alone (older results) counts from where it is steady; if that
    is unknown or never, all of it counts. Epochs count after the first, unless there is only one.
    """
    if run.status != "ok":
        return []
    if isinstance(run, Epochs):
        return run.epoch_s[1:] or run.epoch_s
    if run.steps_per_block is None:
        return []
    first = run.steady_from if run.is_steady and not took_turns(run) else 0
    return [block_s / run.steps_per_block for block_s in run.block_s[first:]]


def took_turns(run: Run | Epochs) -> bool:
    """Return whether a run's blocks alternated with those of its rivals."""
    return isinstance(run, Run) and bool(run.block_order)


def time_s(run: Run | Epochs) -> float | None:
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


def _refuse_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    content = dict(pairs)
    if len(content) < len(pairs):
        twice = min(name for name, count in collections.Counter(name for name, _ in pairs).items() if count > 1)
        raise ValueError(f"the field {twice[:80]!a} occurs twice")
    return content


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is not JSON")


HALF = re.compile(rb"\\u[dD][89a-fA-F]")  # half of a character (a lone surrogate)


def _parse(number: int, content: bytes, quick: Quick) -> Scanned:
    """Return one line, or what is wrong with it."""
    if len(content) > LINE_BYTES:
        return Scanned(number, None, f"expected at most {LINE_BYTES} bytes in a line, got more")
    decoded = quick(content)
    if decoded is not None:
        return Scanned(number, decoded, None)
    try:
        record = json.loads(content.decode("utf-8"), object_pairs_hook=_refuse_twice, parse_constant=_refuse_constant)
        if HALF.search(content):
            # fails for half a character, which cannot be written anywhere
            json.dumps(record, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return Scanned(number, None, "not a JSON record (half a character: a surrogate alone)")
    except (ValueError, RecursionError) as error:  # `ascii` keeps the message in ASCII
        return Scanned(number, None, f"not a JSON record ({ascii(str(error))[1:-1]})")
    faults = "; ".join(problems(record)[:3])
    return Scanned(number, None, faults) if faults else Scanned(number, schema.read(record), None)


def problems(record: Any) -> list[str]:
    """Return what is wrong with an object: schema violations, or a task that does not fit its kind of line."""
    faults = schema.problems(record)
    if not faults and record["kind"] in RUNS and KIND_OF_TASK[record["case"]["task"]] != record["kind"]:
        faults.append(f"case.task: expected a task of kind {record['kind']}, got {record['case']['task']}")
    return faults


def seal(record: dict[str, Any], before: str) -> str:
    """Return the seal (16 hexadecimal digits) of an object after one sealed `before` ("" for the first)."""
    content = json.dumps({name: value for name, value in record.items() if name != "seal"}, sort_keys=True)
    return hashlib.sha256((before + content).encode("utf-8")).hexdigest()[:16]


def _wrong_seal(line: Line, content: bytes, before: str) -> str | None:
    """Return what is wrong with a line's seal: it must be the hash of the written line without the seal."""
    start, _, end = content.rstrip(b"\n").partition(f', "seal": "{line.seal}"'.encode())
    written = hashlib.sha256(before.encode("utf-8") + start + end).hexdigest()[:16]
    expected = written if written == line.seal else seal(json.loads(content), before)
    if expected == line.seal:
        return None
    return (
        f"expected the seal {expected}, got {line.seal}: this line or an earlier one was changed after writing. "
        "Results are never edited: restore the file, or move it out of the results."
    )


def _is_json(content: bytes) -> bool:
    try:
        json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        return False
    return True


def content_of(path: str) -> Iterator[bytes]:
    """Yield a file's lines, without an incomplete last one; a line longer than LINE_BYTES is the last."""
    with open(path, "rb") as file:
        while True:
            content = file.readline(LINE_BYTES + 1)
            is_last = len(content) > LINE_BYTES or not content.endswith(b"\n")
            if not is_last or len(content) > LINE_BYTES or _is_json(content):
                yield content
            if is_last:
                return


def scan(path: str, quick: Quick = lambda _: None) -> Iterator[Scanned]:
    """Yield every line of a file, valid or not, with one line in memory at a time.

    `quick` may recognise valid lines in a fraction of the time (analysis/load/decode.py).

    An incomplete last line, left by a kill or a full disk, is skipped. Files from before seals were introduced have
    none. After an invalid line, the next seal cannot be checked.
    """
    is_sealed: bool | None = None
    before: str | None = ""
    for number, content in enumerate(content_of(path), 1):
        scanned = _parse(number, content, quick)
        line, last = scanned.line, before
        before = None
        if line is not None:
            is_sealed = line.seal is not None if is_sealed is None else is_sealed
            before = line.seal or ""
            if last is not None and (is_sealed or before):
                scanned = scanned._replace(problem=_wrong_seal(line, content, last))
        yield scanned


def read(path: str, quick: Quick = lambda _: None) -> list[Line]:
    """Return a file's lines in order, see `scan`.

    Raises RecordError with file, line and field of the first fault.
    """
    files.check_place(path)
    content = []
    for number, line, problem in scan(path, quick):
        if problem or line is None:
            raise RecordError(f"{files.called(path)}, line {number}: {problem}")
        content.append(line)
    return content


def append(path: str, record: dict[str, Any]) -> None:
    """Append one object and flush it to the disk, or leave the file unchanged.

    Raises RecordError if the object breaks the schema, or if the disk does not accept it.
    """
    faults = problems(record)
    if faults:
        raise RecordError(f"refused to write to {os.path.basename(path)}: {'; '.join(faults[:3])}")
    files.append(path, (json.dumps(record, sort_keys=True, allow_nan=False) + "\n").encode("utf-8"))


def complete(path: str) -> None:
    """Make the next record start on a new line: remove an incomplete last line, or end a complete one."""
    with open(path, "rb+") as file:
        content = file.read()
        end = content.rfind(b"\n") + 1
        if _is_json(content[end:]):
            file.write(b"\n")  # an editor removed it
        else:
            file.truncate(end)
