"""Read result files: a campaign of each, whose impossible runs are refused and whose void rounds do not count."""

import contextlib
import gc
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import msgspec

from analysis import cache
from analysis.load import decode, outcomes
from analysis.load.outcomes import Outcome, Outcomes
from bench import plausible, records
from bench.campaign import stands, void_rounds
from bench.cases import Case
from bench.errors import RecordError

Record = dict[str, Any]

PUBLISHED = ("quick", "full")  # a smoke campaign proves that the code runs, nothing about speed
CONTROL = "control"  # the profile of what is measured about the method
READER = (  # say what is kept of a file
    "analysis/load/campaigns.py", "bench/schema.json", "bench/costs", "bench/workloads",
)  # fmt: skip
KEPT = ("bench", "environments", "end", "voids", "ceilings", "answers")  # of a campaign, as it is
HELD_BYTES = 2**23  # of a file: its records, which take five times as much, are in memory at once
MANY_BYTES = 2**25  # of results: worth a process for each core

Item = TypeVar("Item")
Made = TypeVar("Made")


class Runs(Sequence[Record]):
    """A file's runs that count, read again whenever they are asked for: all of all campaigns would fill the memory."""

    def __init__(self, path: Path, places: Sequence[int], refused: Mapping[int, str]) -> None:
        self.path = path
        self.places = places  # of their lines in the file, from 0
        self.refused = refused  # place -> why the run is impossible

    def __len__(self) -> int:
        return len(self.places)

    def __iter__(self) -> Iterator[Record]:
        wanted = set(self.places)
        with self.path.open("rb") as file:
            for place, line in enumerate(file):
                if place in wanted:
                    run = msgspec.json.decode(line)
                    yield plausible.refused(run, self.refused[place]) if place in self.refused else run

    def __getitem__(self, index: Any) -> Any:
        return list(self)[index]


class Campaign(NamedTuple):
    """One file, sorted by the kind of its lines."""

    bench: Record
    environments: dict[str, Record]
    runs: Sequence[Record]
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


@contextlib.contextmanager
def uncollected() -> Iterator[None]:
    """Look for no cycles in memory meanwhile: records have none, and to go through millions of them takes long."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@uncollected()
def read_campaigns(folder: str | Path) -> list[Campaign]:
    """Read every campaign of a results folder, of all machines."""
    paths = sorted(Path(folder).glob("*/*.jsonl"))
    for path in paths:
        records.check_place(str(path))
    read = [_campaign(*each) for each in zip(paths, side_by_side(_checked, paths, paths), strict=True)]
    return [each for each in read if each is not None]


def side_by_side(make: Callable[[Item], Made], items: Sequence[Item], paths: Sequence[Path]) -> Iterator[Made]:
    """Yield what `make` makes of each item, in order: where it reads much of the files, on all cores."""
    if sum(path.stat().st_size for path in paths) < MANY_BYTES:
        yield from map(make, items)
    else:
        with ProcessPoolExecutor() as processes:
            yield from processes.map(make, items)


def _checked(path: Path) -> Record | None:
    """Return what is kept of a file; None when it holds no line yet. What was right is not checked until it changes."""
    records.check_place(str(path))
    source = cache.file(path)
    found: Record | None = cache.recall("campaigns", [source], lambda: _check(path), READER)
    return found and {**found, "source": source}


@uncollected()
def _check(path: Path) -> Record | None:
    """Return what is kept of a file: all but its runs, of which it is where they stand, and why one is refused."""
    if path.stat().st_size > HELD_BYTES:
        found, refused = _gathered(_lines(path), _again(path))
    else:
        lines = list(_lines(path))
        found, refused = _gathered(lines, lines)
    if not found.bench:
        return None
    ceilings = [(*where, ceiling) for where, ceiling in found.context.ceilings.items()]
    return {
        **{name: getattr(found, name) for name in KEPT},
        "outcomes": found.outcomes,
        "context": (found.context.gpu, found.context.cpus, ceilings, found.context.loaded),
        "places": list(refused),
        "refused": [(place, reason) for place, reason in refused.items() if reason],
    }


def _lines(path: Path) -> Iterator[Record]:
    """Yield a file's lines, each of which is checked; raises RecordError for one that is wrong, or stands first."""
    for place, line in enumerate(records.each(str(path), decode.record)):
        if not place and line["kind"] != "bench":
            raise RecordError(f"{records.called(str(path))}, line 1: kind: expected bench first, got {line['kind']}.")
        if not place and line["profile"] == CONTROL:
            raise RecordError(
                f"{records.called(str(path))}, line 1: profile: expected one of a bench, got {CONTROL}: what controls "
                "measured belongs below controls/ in the machine's folder."
            )
        yield line


def _again(path: Path) -> Iterator[Record]:
    """Return the lines of a file that was checked."""
    return map(msgspec.json.decode, records.lines(str(path)))


def _campaign(path: Path, found: Record | None) -> Campaign | None:
    if found is None:
        return None
    gpu, cpus, ceilings, loaded = found["context"]
    known = {(device, precision): plausible.Ceiling(*each) for device, precision, each in ceilings}
    return Campaign(
        runs=Runs(path, found["places"], dict(found["refused"])),
        context=plausible.Context(gpu, cpus, known, {}, loaded, {}),
        outcomes=outcomes.restored(found["outcomes"]),
        **{name: found[name] for name in (*KEPT, "source")},
    )


def campaign_of(lines: Sequence[Record]) -> Campaign:
    """Return the campaign of a file's lines, with impossible runs refused and those of void rounds left out."""
    found, refused = _gathered(lines, lines)
    runs = ((lines[place], reason) for place, reason in refused.items())
    return found._replace(runs=[plausible.refused(run, reason) if reason else run for run, reason in runs])


def _gathered(lines: Iterable[Record], again: Iterable[Record]) -> tuple[Campaign, dict[int, str | None]]:
    """Return a campaign without its runs, and by the place of each that counts why it is refused, or None.

    Lines are gone through twice: what a run is held against may stand after it.
    """
    others: dict[int, Record] = {}
    last: Record = {"kind": ""}

    def told() -> Iterator[Record]:
        nonlocal last
        for place, line in enumerate(lines):
            last = line
            if not records.is_run(line):
                others[place] = line
            yield line

    about = plausible.context(told())
    void = void_rounds(others)
    refused: dict[int, str | None] = {}

    def counted() -> Iterator[Record]:
        for place, line in enumerate(again):
            run = plausible.judged(line, about) if records.is_run(line) else None
            if run and stands(run, place, void):
                refused[place] = None if run is line else run["reason"]
                yield run

    found = outcomes.of(counted())
    campaign = Campaign(
        bench=others.get(0, {}),
        environments={line["environment"]: line for line in records.of_kind(others.values(), "environment")},
        runs=(),
        end=last if last["kind"] == "end" else None,
        context=about._replace(proofs={}),
        voids=records.of_kind(others.values(), "void"),
        ceilings=records.of_kind(others.values(), "ceiling"),
        answers=records.of_kind(others.values(), "answer"),
        outcomes=found,
    )
    return campaign, refused
