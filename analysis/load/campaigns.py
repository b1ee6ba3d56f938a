"""Read result files: a campaign of each, whose impossible runs are refused and whose void rounds do not count."""

import contextlib
import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from analysis import cache
from analysis.load import decode, outcomes
from analysis.load.outcomes import Outcome, Outcomes
from bench import files
from bench.campaign.campaign import stands, void_rounds
from bench.cases import Case
from bench.errors import RecordError
from bench.results import plausible, records, schema

Record = dict[str, Any]
Refused = Iterable[tuple[int, str]]  # the places of impossible runs among the lines, and why each is

PUBLISHED = ("quick", "full")  # a smoke campaign proves that the code runs, nothing about speed
CONTROL = "control"  # the profile of what is measured about the method
READER = (  # say what is right in a file
    "analysis/load/campaigns.py", "bench/results/schema.json", "bench/oracle", "bench/workloads", "bench/ablations",
)  # fmt: skip
MANY_BYTES = 2**25  # of results: worth a process for each core


class TypedLine(msgspec.Struct, gc=False):
    """A line with a slot for each field, a third as large as a dictionary, and read like one by bench/."""

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a field; `default` where the line has none."""
        value = getattr(self, name, None)
        return default if value is None else value


class LineKind(msgspec.Struct):
    """Of any line, its kind."""

    kind: str


FIELDS = sorted({name for kind in records.RUNS for name in schema.SCHEMAS[kind]["properties"]})
Run = msgspec.defstruct(  # of either kind; "numbers" is what follows from it, see outcomes.Numbers
    "Run", [(name, Any, None) for name in (*FIELDS, "numbers")], bases=(TypedLine,)
)
RUN, KIND = msgspec.json.Decoder(Run), msgspec.json.Decoder(LineKind)


class Campaign(NamedTuple):
    """One file, sorted by the kind of its lines."""

    bench: Record
    environments: dict[str, Record]
    runs: Sequence[Any]  # that count, a Run each
    end: Record | None
    context: plausible.Context  # what its runs are held against
    voids: Sequence[Record] = ()
    ceilings: Sequence[Record] = ()
    answers: Sequence[Record] = ()  # of its device, and in its precisions
    outcomes: Outcomes = Outcomes()  # what its runs came to
    source: str = ""  # hash of its file

    @property
    def name(self) -> str:
        """Its name, unique on its machine."""
        return str(self.bench["campaign"])

    @property
    def began(self) -> str:
        """When it began, in UTC, as results write it: the later, the larger."""
        return str(self.bench["started"])

    @property
    def day(self) -> str:
        """The day on which it began, in UTC."""
        return self.began[:10]

    def title(self, environment: str) -> str:
        """Return an environment's title; its name where it was not installed."""
        return str(self.environments.get(environment, {}).get("title", environment))

    @property
    def machine(self) -> str:
        """The kind of machine, as named by the campaign."""
        return str(self.bench["machine"]["name"])

    @property
    def threads(self) -> int:
        """How many threads each run was given."""
        return int(self.bench["threads"])

    @property
    def asked(self) -> dict[Case, Outcome | None]:
        """What came of each case that it was asked for, or measured all the same; None where it never got there."""
        cases = (Case(**case) for case in self.bench["cases"])
        return {**dict.fromkeys(cases), **{each.case: each for each in self.outcomes.cases}}

    @property
    def is_published(self) -> bool:
        """Whether the campaign came to its end and is large enough to conclude from."""
        return self.end is not None and self.bench["profile"] in PUBLISHED


def question_of(case: Case, threads: int) -> str:
    """Return the text of the question that a case answers with so many threads: other numbers of them never mix."""
    return f"{case.question}/t{threads}"


def read_campaigns(folder: str | Path) -> list[Campaign]:
    """Read every campaign of a results folder, of all machines. Raises RecordError for a line that is wrong."""
    paths = sorted(Path(folder).glob("*/*.jsonl"))
    for path in paths:
        files.check_place(str(path))
    with _without_collector():
        if sum(path.stat().st_size for path in paths) < MANY_BYTES:
            return _read(paths, map(_checked, paths))
        with ProcessPoolExecutor() as processes:
            return _read(paths, processes.map(_checked, paths))


def _read(paths: Sequence[Path], checked: Iterable[tuple[str, Refused]]) -> list[Campaign]:
    """Return the campaigns of files: one is read as soon as it was checked, while others still are."""
    both = ((list(map(_line, records.lines(str(path)))), about) for path, about in zip(paths, checked, strict=True))
    return [_campaign(lines, *about) for lines, about in both if lines]


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Collect no garbage meanwhile, and never look at what was read again: lines hold no cycles of references.

    Looking at them would take as long as reading them, each time that the collector visits all objects.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if was_enabled:
            gc.enable()


def campaign_of(lines: Sequence[Record]) -> Campaign:
    """Return the campaign of a file's lines, with impossible runs refused and those of void rounds left out."""
    typed = [Run(**line) if records.is_run(line) else line for line in lines]
    return _campaign(typed, "", _refused(lines))


def _checked(path: Path) -> tuple[str, Refused]:
    """Return a file's hash and what is refused of it. What was right is not checked until it changes."""
    source = cache.file(path)
    return source, cache.recall("checked", [source], lambda: _refused(_right(path)), READER)


def _right(path: Path) -> list[Record]:
    """Return a file's lines, each of which is checked; raises RecordError for one that is wrong, or stands first."""
    lines = decode.read(path)
    if lines and lines[0]["kind"] != "bench":
        raise RecordError(f"{files.called(str(path))}, line 1: kind: expected bench first, got {lines[0]['kind']}.")
    if lines and lines[0]["profile"] == CONTROL:
        raise RecordError(
            f"{files.called(str(path))}, line 1: profile: expected one of a bench, got {CONTROL}: what controls "
            "measured belongs below controls/ in the machine's folder."
        )
    return lines


def _refused(lines: Sequence[Record]) -> Refused:
    both = zip(lines, plausible.judge_all(list(lines)), strict=True)
    return [(place, judged["reason"]) for place, (line, judged) in enumerate(both) if judged is not line]


def _line(line: bytes) -> Any:
    """Return a line that was checked: a Run, or a dictionary."""
    return RUN.decode(line) if KIND.decode(line).kind in records.RUNS else msgspec.json.decode(line)


def _campaign(lines: Sequence[Any], source: str, refused: Refused) -> Campaign:
    for place, reason in refused:
        lines[place].status, lines[place].reason = plausible.IMPLAUSIBLE, reason
    others = {place: line for place, line in enumerate(lines) if not isinstance(line, Run)}
    void = void_rounds(others)
    runs = [line for place, line in enumerate(lines) if place not in others and stands(line, place, void)]
    cases: dict[outcomes.Key, Record] = {}
    for run in runs:
        run.case = cases.setdefault(outcomes.key_of(run.case), run.case)  # one for all its rounds
        run.numbers = outcomes.numbers_of(run)
    of_kind: Mapping[str, Any] = {
        kind: records.of_kind(others.values(), kind) for kind in ("environment", "void", "ceiling", "answer", "end")
    }
    return Campaign(
        bench=others[0],
        environments={line["environment"]: line for line in of_kind["environment"]},
        runs=runs,
        end=lines[-1] if of_kind["end"] and lines[-1] is of_kind["end"][-1] else None,
        context=plausible.context(others.values()),
        voids=of_kind["void"],
        ceilings=of_kind["ceiling"],
        answers=of_kind["answer"],
        outcomes=outcomes.of(runs),
        source=source,
    )
