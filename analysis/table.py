"""Read result files into one long table: a row for each run, and for each case that was asked for and has none."""

import json
import statistics
from collections.abc import Collection, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis import kept, shares
from bench import plausible, records
from bench.campaign import standing
from bench.cases import Case
from bench.errors import RecordError

Record = dict[str, Any]
Key = tuple[str, str]  # a machine, and the text of a question

CASE = Case._fields
QUESTION = ("workload", "task", "precision", "device", "batch_size", "optimizer", "tier", "data")
ENVIRONMENT = ("title", "framework", "compiles", "is_default")
AS_RECORDED = (
    "campaign", "round", "position", "cache", "status", "reason", "error_tail", "proof", "code", "import_s", "build_s",
    "first_step_s", "is_steady", "steady_from", "drift", "was_doubled", "block_s",
    "peak_host_memory_bytes", "peak_device_memory_bytes",
)  # fmt: skip
COMPUTED = ("step_s", "cpu_step_s", "counted_s")  # an epoch's, of epochs
OVER_DATA = ("epoch_s", "evaluation_s", "losses", "score", "test_scores", "steps_per_epoch")  # lists, of epochs only
COLUMNS = ("machine", "question", *CASE, *ENVIRONMENT, *AS_RECORDED, *OVER_DATA, *COMPUTED, *shares.COLUMNS)
NOT_RUN = "not_run"  # the status of a case that was asked for and has no line
PUBLISHED = ("quick", "full")  # a smoke campaign proves that the code runs, nothing about speed
CONTROL = "control"  # the profile of what is measured about the method
READER = ("bench", "analysis/table.py")  # the code that says what is kept of a file
KEPT = ("bench", "environments", "end", "voids", "ceilings", "questions")  # of a campaign, as it is
MANY_BYTES = 2**25  # of results: worth a process for each core


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
                    run = json.loads(line)
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
    source: str = ""  # hash of its file

    @property
    def machine(self) -> str:
        """The kind of machine, as named by the campaign."""
        return str(self.bench["machine"]["name"])

    @property
    def is_published(self) -> bool:
        """Whether the campaign came to its end and is large enough to conclude from."""
        return self.end is not None and self.bench["profile"] in PUBLISHED


class Results(NamedTuple):
    """What is shown: one long table of runs, and the newest campaign of each machine."""

    runs: pd.DataFrame  # COLUMNS, one row per run
    campaigns: dict[str, Campaign]  # by machine
    shown: Sequence[Campaign] = ()  # all that the runs come from, the newest last
    left_out: Sequence[Campaign] = ()  # read, and not concluded from: interrupted, or made to test the code
    sources: Mapping[Key, str] = {}  # hash of the file that answers a question

    @property
    def machines(self) -> list[str]:
        """The machines' names in alphabetical order."""
        return sorted(self.campaigns)

    def of(self, tasks: Sequence[str]) -> "Results":
        """Return only the runs of some tasks: those on one batch, or those over a data set."""
        return self._replace(runs=self.runs[self.runs["task"].isin(tasks)])

    def about(self, questions: Collection[Key]) -> "Results":
        """Return only the runs that answer some questions, in the table's order."""
        parts = [answering(self.runs, *key) for key in sorted(questions)]
        return self._replace(runs=pd.concat(parts) if parts else self.runs.iloc[:0])

    def came_from(self, questions: Sequence[Key]) -> list[str]:
        """Return what the runs that answer some questions depend on: the questions, and the hashes of their files."""
        return [text for key in questions for text in (*key, self.sources[key])]

    def environment(self, machine: str, name: str) -> Record | None:
        """Return an environment's record, or None when it was not installed on that machine."""
        return self.campaigns[machine].environments.get(name)


def read_results(folder: str | Path, campaign: str | None = None) -> Results:
    """Read a results folder: of each machine and question the newest campaign that is published, or only `campaign`.

    Raises RecordError for a line that breaks the schema and for a campaign that does not exist.
    """
    campaigns = read_campaigns(folder)
    shown = _chosen(campaigns, campaign)
    last = {(each.machine, question): each for each in shown for question in each.questions}  # to ask it
    rows: dict[Key, list[tuple[Any, ...]]] = {}
    for each in shown:
        asked = {question for question in each.questions if last[each.machine, question] is each}
        for row in rows_of(each, asked) if asked else ():
            rows.setdefault((each.machine, row["question"]), []).append(tuple(row[name] for name in COLUMNS))
    table = pd.DataFrame([row for key in sorted(rows) for row in rows[key]], columns=list(COLUMNS))
    table["question"] = table["question"].astype("category")  # what rows are looked up by
    sources = {key: each.source for key, each in last.items()}
    places = {id(each) for each in shown}
    left_out = [each for each in campaigns if id(each) not in places]
    return Results(table, {each.machine: each for each in shown}, shown, left_out, sources)


def answering(runs: pd.DataFrame, machine: str, question: str) -> pd.DataFrame:
    """Return the runs that answer one question on one machine."""
    places = np.flatnonzero((runs["question"] == question).to_numpy())
    places = places[(runs["machine"].iloc[places] == machine).to_numpy()]
    is_block = len(places) and places[-1] - places[0] + 1 == len(places)  # as in a whole table: no row is copied
    return runs.iloc[places[0] : places[-1] + 1] if is_block else runs.iloc[places]


def read_campaigns(folder: str | Path) -> list[Campaign]:
    """Read every campaign of a results folder, of all machines."""
    paths = sorted(Path(folder).glob("*/*.jsonl"))
    if sum(map(_size, paths)) < MANY_BYTES:
        read = [read_campaign(path) for path in paths]
    else:
        with ProcessPoolExecutor() as processes:
            read = [_campaign(*each) for each in zip(paths, processes.map(_checked, paths, chunksize=8), strict=True)]
    return [each for each in read if each is not None]


def _size(path: Path) -> int:
    records.check_place(str(path))
    return path.stat().st_size


def read_campaign(path: Path) -> Campaign | None:
    """Read one file; None when it holds no line yet. What was found right is not checked again until it changes."""
    return _campaign(path, _checked(path))


def _checked(path: Path) -> Record | None:
    records.check_place(str(path))
    source = kept.file(path)
    found: Record | None = kept.recall("campaigns", [source], lambda: _check(path), READER)
    return found and {**found, "source": source}


def _check(path: Path) -> Record | None:
    """Return what is kept of a file: all but its runs, of which it is where they stand, and why one is refused."""
    lines = records.read(str(path))
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
        **{name: found[name] for name in (*KEPT, "source")},
    )


def campaign_of(lines: list[Record]) -> Campaign:
    """Return the campaign of a file's lines, with impossible runs refused and those of void rounds left out."""
    return _of_judged(plausible.judge_all(lines))


def _of_judged(lines: list[Record]) -> Campaign:
    runs = standing(lines)
    cases = [*lines[0]["cases"], *(run["case"] for run in runs)]
    return Campaign(
        bench=lines[0],
        environments={line["environment"]: line for line in lines if line["kind"] == "environment"},
        runs=runs,
        end=lines[-1] if lines[-1]["kind"] == "end" else None,
        context=plausible.context(lines),
        voids=[line for line in lines if line["kind"] == "void"],
        ceilings=[line for line in lines if line["kind"] == "ceiling"],
        questions=sorted(set(map(_question, cases))),
    )


def _chosen(campaigns: list[Campaign], name: str | None) -> list[Campaign]:
    """Return the campaigns to show, the later the more they count; unpublished ones where a machine has no other."""
    if name is None:
        ordered = sorted(campaigns, key=lambda each: str(each.bench["started"]))
        published = {each.machine for each in ordered if each.is_published}
        newest = {each.machine: each for each in ordered}
        return [each for each in ordered
                if each.is_published or (each.machine not in published and each is newest[each.machine])]  # fmt: skip
    named = [each for each in campaigns if each.bench["campaign"] == name]
    if not named:
        known = ", ".join(sorted(each.bench["campaign"] for each in campaigns)) or "none yet"
        raise RecordError(f"There is no campaign {name!r}; there are: {known}.")
    return named


def rows_of(campaign: Campaign, asked: Collection[str] | None = None) -> list[Record]:
    """Return a campaign's rows, each a dict of COLUMNS: one for each run, and one for each case that has none.

    Of all its questions, or of those in `asked`.
    """
    runs = (run for run in campaign.runs if asked is None or _question(run["case"]) in asked)
    cases = (case for case in campaign.bench["cases"] if asked is None or _question(case) in asked)
    last = {(_key(run["case"]), run["round"]): run for run in runs}  # a repeated run replaces the first
    rows = [_row(campaign, run) for run in last.values()]
    measured = {case for case, _ in last}
    return rows + [_hole(campaign, case) for case in cases if _key(case) not in measured]


def _question(case: Record) -> str:
    return Case(**case).question


def _key(case: Record) -> tuple[Any, ...]:
    return tuple(case[name] for name in CASE)


def _row(campaign: Campaign, run: Record) -> Record:
    recorded = {name: run.get(name) for name in (*AS_RECORDED, *OVER_DATA)}  # None of what another kind measures
    used = shares.of(run, campaign.context)._asdict()
    return {**_about(campaign, run["case"]), **recorded, **times(run), **used}


def _hole(campaign: Campaign, case: Record) -> Record:
    ended = f"the campaign ended ({campaign.end['reason']})" if campaign.end else "the campaign was interrupted"
    blank: Record = dict.fromkeys((*AS_RECORDED, *OVER_DATA, *COMPUTED, *shares.COLUMNS))
    reason = f"{ended} before its turn"
    return {
        **blank,
        **_about(campaign, case),
        "campaign": campaign.bench["campaign"],
        "status": NOT_RUN,
        "reason": reason,
    }


def _about(campaign: Campaign, case: Record) -> Record:
    """Return what a row says about its case and its environment."""
    name, mode = case["environment"], case["mode"]
    environment = campaign.environments.get(name, {})
    return {
        "machine": campaign.machine,
        "question": _question(case),
        **case,
        "title": environment.get("title", name),
        "framework": environment.get("framework"),
        "compiles": environment.get("modes", {}).get(mode),
        "is_default": environment.get("default_mode") == mode if environment else None,
    }


def times(run: Record) -> Record:
    """Return a run's seconds per step: median, processor time, and the blocks that count; None where not measured.

    Of a run over a data set, the seconds per epoch after the first.
    """
    counted_s = records.counted_s(run)
    cpu_s = statistics.median(run["block_cpu_s"]) / run["steps_per_block"] if run.get("block_cpu_s") else None
    return {"step_s": records.time_s(run), "cpu_step_s": cpu_s, "counted_s": counted_s or None}
