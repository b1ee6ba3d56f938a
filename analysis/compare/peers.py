"""How often other timing tools, and `versus`, find a difference whose size is known (`python -m bench.peers`)."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
from scipy import stats

from bench.errors import RecordError

FOLDER = "peers"  # of a machine's results
CONFIDENCE = 0.99
SIGNIFICANT = 0.01  # p of the test that all tools share

Text = Annotated[str, msgspec.Meta(max_length=500)]
Positive = Annotated[float, msgspec.Meta(gt=0, lt=1e9)]
Times = Annotated[list[Positive], msgspec.Meta(max_length=100_000)]


class Machine(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The machine that measured."""

    name: Text
    cpu: Text
    logical_cpus: int
    system: Text


class Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A measurement of a pair of programs by a tool; without `ratio` if the tool failed."""

    tool: Text
    version: Text
    kind: Text
    truth: Positive
    repeat: int
    is_slower_first: bool
    budget_s: Positive
    seconds: Annotated[float, msgspec.Meta(ge=0, lt=1e9)]
    problem: Text
    python: Text
    started: Text
    machine: Machine
    ratio: Positive | None = None
    is_different: bool = False
    times_s: Annotated[list[Times], msgspec.Meta(max_length=2)] = []


class Share(NamedTuple):
    """How many of some measurements reported a difference, with a 99 % interval of the probability (Wilson)."""

    reported: int
    of: int
    low: float
    high: float


class Row(NamedTuple):
    """A tool on the pairs of one machine and kind of programs."""

    tool: str
    versions: Sequence[str]
    own: Mapping[float, Share]  # by the true ratio, with the tool's own rule. Where that is 1, these are false alarms
    shared: Mapping[float, Share]  # by Welch's test of the tool's raw values; empty for a tool that pairs them
    error: float  # root mean square of ratio / true ratio - 1
    seconds: float  # on average, per pair
    failed: int


class Measured(NamedTuple):
    """All tools on the pairs of one machine and kind of programs."""

    machine: str
    kind: str
    cpu: str
    days: Sequence[str]  # first and last
    rows: Sequence[Row]


def read(path: Path) -> list[Line]:
    """Read a file of measurements; raises RecordError for a line that is wrong."""
    decoder, lines = msgspec.json.Decoder(Line), list[Line]()
    for number, content in enumerate(path.read_bytes().splitlines(), 1):
        try:
            lines.append(decoder.decode(content))
        except (ValueError, RecursionError) as error:
            raise RecordError(f"{path.parent.parent.name}/{FOLDER}/{path.name}, line {number}: {error}") from None
    return lines


def read_all(results: Path) -> list[Measured]:
    """Return what each machine measured of each kind of programs."""
    paths = sorted(results.glob(f"*/{FOLDER}/*.jsonl"))
    return [judge(path.parent.parent.name, path.stem, lines) for path in paths if (lines := read(path))]


def judge(machine: str, kind: str, lines: Sequence[Line]) -> Measured:
    """Return the row of each tool."""
    days = sorted(line.started[:10] for line in lines)
    ordered = sorted(lines, key=lambda line: (line.tool != "versus", line.tool))
    rows = [_row(tool, list(own)) for tool, own in groupby(ordered, key=lambda line: line.tool)]
    return Measured(machine, kind, lines[0].machine.cpu, (days[0], days[-1]), rows)


def _row(tool: str, lines: Sequence[Line]) -> Row:
    whole = [line for line in lines if line.ratio is not None]
    errors = [line.ratio / line.truth - 1 for line in whole if line.ratio]
    is_paired = tool == "versus"
    return Row(
        tool, sorted({line.version for line in lines}), dict(_shares(whole, is_own=True)),
        {} if is_paired else dict(_shares(whole, is_own=False)),
        math.sqrt(sum(error**2 for error in errors) / len(errors)) if errors else math.nan,
        sum(line.seconds for line in whole) / len(whole) if whole else math.nan, len(lines) - len(whole),
    )  # fmt: skip


def _shares(lines: Sequence[Line], is_own: bool) -> Iterator[tuple[float, Share]]:
    for truth in sorted({line.truth for line in lines}):
        own = [line for line in lines if line.truth == truth]
        count = sum(_is_reported(line, is_own) for line in own)
        interval = stats.binomtest(count, len(own)).proportion_ci(CONFIDENCE, method="wilson")
        yield truth, Share(count, len(own), float(interval.low), float(interval.high))


def _is_reported(line: Line, is_own: bool) -> bool:
    """Return whether a difference was reported, and in the right direction if there is one."""
    is_right = line.truth == 1 or (line.ratio is not None and line.ratio > 1)
    return is_right and (line.is_different if is_own else _is_significant(line.times_s))


def _is_significant(times_s: Sequence[Sequence[float]]) -> bool:
    if len(times_s) != 2 or min(map(len, times_s)) < 2:
        return False
    return bool(stats.ttest_ind(*times_s, equal_var=False).pvalue < SIGNIFICANT)
