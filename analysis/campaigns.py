"""Read result files: a campaign of each, whose impossible runs are refused and whose void rounds do not count."""

import contextlib
import gc
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import orjson

from analysis import kept, outcomes
from analysis.outcomes import Outcomes
from bench import plausible, records
from bench.campaign import OF_KIND, standing
from bench.cases import Case
from bench.errors import RecordError

Record = dict[str, Any]

PUBLISHED = ("quick", "full")  # a smoke campaign proves that the code runs, nothing about speed
CONTROL = "control"  # the profile of what is measured about the method
READER = ("analysis/campaigns.py", "bench/schema.json", "bench/costs", "bench/workloads")  # say what is kept of a file
KEPT = ("bench", "environments", "end", "voids", "ceilings", "questions")  # of a campaign, as it is
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
                    run = orjson.loads(line)
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
    questions: Collection[str] = ()  # that it asks
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

    @property
    def machine(self) -> str:
        """The kind of machine, as named by the campaign."""
        return str(self.bench["machine"]["name"])

    @property
    def is_published(self) -> bool:
        """Whether the campaign came to its end and is large enough to conclude from."""
        return self.end is not None and self.bench["profile"] in PUBLISHED


def question_of(case: Record) -> str:
    """Return the text of the question that a case answers."""
    return Case(**case).question


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
    source = kept.file(path)
    found: Record | None = kept.recall("campaigns", [source], lambda: _check(path), READER)
    return found and {**found, "source": source}


@uncollected()
def _check(path: Path) -> Record | None:
    """Return what is kept of a file: all but its runs, of which it is where they stand, and why one is refused."""
    lines = records.read(str(path), orjson.loads)
    if not lines:
        return None
    first = lines[0]
    if first["kind"] != "bench":
        raise RecordError(f"{records.called(str(path))}, line 1: kind: expected bench first, got {first['kind']}.")
    if first["profile"] == CONTROL:
        raise RecordError(
            f"{records.called(str(path))}, line 1: profile: expected one of a bench, got {CONTROL}: what controls "
            "measured belongs below controls/ in the machine's folder."
        )
    judged = plausible.judge_all(lines)
    found, places = _of_judged(judged), {id(line): place for place, line in enumerate(judged)}
    counted = [(places[id(run)], run) for run in found.runs]
    ceilings = [(*where, ceiling) for where, ceiling in found.context.ceilings.items()]
    return {
        **{name: getattr(found, name) for name in KEPT},
        "outcomes": found.outcomes,
        "context": (found.context.gpu, found.context.cpus, ceilings, found.context.loaded),
        "places": [place for place, _ in counted],
        "refused": [(place, run["reason"]) for place, run in counted if run is not lines[place]],
    }


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


def campaign_of(lines: list[Record]) -> Campaign:
    """Return the campaign of a file's lines, with impossible runs refused and those of void rounds left out."""
    return _of_judged(plausible.judge_all(lines))


def _of_judged(lines: list[Record]) -> Campaign:
    runs = standing(lines)
    found = outcomes.of(runs)
    cases = [*(Case(**case) for case in lines[0]["cases"]), *(each.case for each in found.cases)]
    return Campaign(
        bench=lines[0],
        environments={line["environment"]: line for line in lines if line["kind"] == "environment"},
        runs=runs,
        end=lines[-1] if lines[-1]["kind"] == "end" else None,
        context=plausible.context([line for line in lines if line["kind"] not in OF_KIND]),
        voids=[line for line in lines if line["kind"] == "void"],
        ceilings=[line for line in lines if line["kind"] == "ceiling"],
        questions=sorted({case.question for case in cases}),
        outcomes=found,
    )
