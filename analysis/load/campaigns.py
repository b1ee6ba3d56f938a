"""Read result files: a campaign of each, whose impossible runs are refused and whose void rounds do not count."""

import contextlib
import gc
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

from analysis import cache
from analysis.load import decode, outcomes
from analysis.load.outcomes import Numbers, Outcome, Outcomes
from bench import files
from bench.cases import Case
from bench.errors import RecordError
from bench.results import plausible, records, void_rules
from bench.results.lines import Answer, Bench, Ceiling, End, Environment, Epochs, Line, Run, Void

Refused = Iterable[tuple[int, str]]  # the places of impossible runs among the lines, and why each is

PUBLISHED = ("quick", "full")  # a smoke campaign proves that the code runs, nothing about speed
CONTROL = "control"  # the profile of what is measured about the method
READER = (  # say what is right in a file
    "analysis/load/campaigns.py", "bench/oracle", "bench/workloads", "bench/ablations",
)  # fmt: skip
MANY_BYTES = 2**25  # of results: worth a process for each core


class Campaign(NamedTuple):
    """One file, sorted by the kind of its lines."""

    bench: Bench
    environments: dict[str, Environment]
    runs: Sequence[Run | Epochs]  # that count
    numbers: Sequence[Numbers]  # of each of these runs
    end: End | None
    context: plausible.Context  # what its runs are held against
    voids: Sequence[Void] = ()
    ceilings: Sequence[Ceiling] = ()
    answers: Sequence[Answer] = ()  # of its device, and in its precisions
    outcomes: Outcomes = Outcomes()  # what its runs came to
    source: str = ""  # hash of its file

    @property
    def name(self) -> str:
        """Its name, unique on its machine."""
        return self.bench.campaign

    @property
    def began(self) -> str:
        """When it began, in UTC, as results write it: the later, the larger."""
        return self.bench.started

    @property
    def day(self) -> str:
        """The day on which it began, in UTC."""
        return self.began[:10]

    def title(self, environment: str) -> str:
        """Return an environment's title; its name where it was not installed."""
        return self.environments[environment].title if environment in self.environments else environment

    @property
    def machine(self) -> str:
        """The kind of machine, as named by the campaign."""
        return self.bench.machine.name

    @property
    def threads(self) -> int:
        """How many threads each run was given."""
        return self.bench.threads

    @property
    def asked(self) -> dict[Case, Outcome | None]:
        """What came of each case that it was asked for, or measured all the same; None where it never got there."""
        return {**dict.fromkeys(self.bench.cases), **{outcome.case: outcome for outcome in self.outcomes.cases}}

    @property
    def is_published(self) -> bool:
        """Whether the campaign came to its end and is large enough to conclude from."""
        return self.end is not None and self.bench.profile in PUBLISHED


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


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """Collect no garbage in the context, and never look at what was read again: lines hold no cycles of references.

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


def _read(paths: Sequence[Path], checked: Iterable[tuple[str, Refused]]) -> list[Campaign]:
    """Return the campaigns of files: one is read as soon as it was checked, while others still are."""
    both = ((decode.read_checked(path), verdict) for path, verdict in zip(paths, checked, strict=True))
    return [_campaign(content, *verdict) for content, verdict in both if content]


def campaign_of(content: Sequence[Line]) -> Campaign:
    """Return the campaign of a file's lines, with impossible runs refused and those of void rounds left out."""
    return _campaign(content, "", _refused(content))


def _checked(path: Path) -> tuple[str, Refused]:
    """Return a file's hash and what is refused of it. What was right is not checked until it changes."""
    source = cache.file(path)
    return source, cache.recall("checked", [source], lambda: _refused(_right(path)), READER)


def _right(path: Path) -> list[Line]:
    """Return a file's lines, each of which is checked; raises RecordError for a wrong line or first line."""
    content = decode.read(path)
    first = content[0] if content else None
    if first and not isinstance(first, Bench):
        raise RecordError(f"{files.called(str(path))}, line 1: kind: expected bench first, got {records.kind(first)}.")
    if isinstance(first, Bench) and first.profile == CONTROL:
        raise RecordError(
            f"{files.called(str(path))}, line 1: profile: expected one of a bench, got {CONTROL}: what controls "
            "measured belongs below controls/ in the machine's folder."
        )
    return content


def _refused(content: Sequence[Line]) -> Refused:
    both = zip(content, plausible.judge_all(content), strict=True)
    return [(place, str(judged.reason)) for place, (line, judged) in enumerate(both)
            if judged is not line and isinstance(judged, (Run, Epochs))]  # fmt: skip


def _campaign(content: Sequence[Line], source: str, refused: Refused) -> Campaign:
    for place, reason in refused:
        run = content[place]
        if isinstance(run, (Run, Epochs)):
            run.status, run.reason = "implausible", reason
    others = [(place, line) for place, line in enumerate(content) if not isinstance(line, (Run, Epochs))]
    void, rest = void_rules.void_rounds(others), [line for _, line in others]
    runs = [line for place, line in enumerate(content)
            if isinstance(line, (Run, Epochs)) and void_rules.stands(line, place, void)]  # fmt: skip
    numbers = [outcomes.numbers_of(run) for run in runs]
    bench, last = content[0], content[-1]
    assert isinstance(bench, Bench)  # noqa: S101 - `_right` refused any other
    return Campaign(
        bench=bench,
        environments={line.environment: line for line in records.of_class(rest, Environment)},
        runs=runs,
        numbers=numbers,
        end=last if isinstance(last, End) else None,
        context=plausible.context(rest),
        voids=records.of_class(rest, Void),
        ceilings=records.of_class(rest, Ceiling),
        answers=records.of_class(rest, Answer),
        outcomes=outcomes.of(runs, numbers),
        source=source,
    )
