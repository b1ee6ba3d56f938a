"""Read result files into one long table: a row for each run, and for each case that was asked for and has none."""

import operator
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from analysis.load import history, utilization
from analysis.load.campaigns import Campaign, Record, Runs, question_of, read_campaigns, side_by_side, uncollected
from analysis.load.history import Key
from analysis.load.outcomes import Key as CaseKey
from analysis.load.outcomes import Made, cpu_step_s, key_of, made_of
from analysis.stats import Row
from bench import records
from bench.cases import Case
from bench.errors import RecordError

CASE = Case._fields
QUESTION = ("workload", "task", "precision", "device", "batch_size", "optimizer", "tier", "data", "threads")
ENVIRONMENT = ("title", "framework", "compiles", "is_default")
WHERE = (
    "threads",
    "day",
    "note",
    "own_round",
    "group",
    "in_turns",
)  # `round` is over all campaigns, `own_round` of one
AS_RECORDED = (
    "campaign", "position", "duration_s", "cache", "status", "reason", "error_tail", "proof", "code", "compiled",
    "import_s", "build_s", "first_step_s", "is_steady", "steady_from", "drift", "was_doubled", "block_s",
    "peak_host_memory_bytes", "peak_device_memory_bytes",
)  # fmt: skip
COMPUTED = ("step_s", "cpu_step_s", "counted_s")  # an epoch's, of epochs
OVER_DATA = ("epoch_s", "evaluation_s", "losses", "score", "test_scores", "steps_per_epoch")  # lists, of epochs only
COLUMNS = (
    "machine", "question", *CASE, *ENVIRONMENT, *WHERE, *AS_RECORDED, *OVER_DATA, *COMPUTED, *utilization.COLUMNS,
)  # fmt: skip
MACHINE, QUESTION_OF = COLUMNS.index("machine"), COLUMNS.index("question")
NOT_RUN = "not_run"  # the status of a case that was asked for and has no line


Times = dict[Row, dict[int, float]]  # by competitor and round


class Results(NamedTuple):
    """What is shown: one long table of runs, and the newest campaign of each machine."""

    runs: pd.DataFrame  # COLUMNS and `round`, one row per run, ordered by machine and question
    campaigns: dict[str, Campaign]  # by machine
    shown: Sequence[Campaign] = ()  # all that the runs come from, the newest last
    left_out: Sequence[Campaign] = ()  # read, and not concluded from: interrupted, or made to test the code
    answered: Mapping[Key, Sequence[Campaign]] = {}  # a question by the campaigns that its runs come from, oldest first

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
        return [text for key in questions for text in (*key, *(each.source for each in self.answered[key]))]

    def environment(self, machine: str, name: str) -> Record | None:
        """Return an environment's newest record, or None when it was never installed on that machine."""
        own = (each for each in reversed(self.shown) if each.machine == machine)
        return next(
            (each.environments[name] for each in (self.campaigns[machine], *own) if name in each.environments), None
        )


@uncollected()
def read_results(folder: str | Path, campaign: str | None = None) -> Results:
    """Read a results folder: what stands of all published campaigns, or of `campaign` alone.

    Raises RecordError for a line that breaks the schema and for a campaign that does not exist.
    """
    campaigns = read_campaigns(folder)
    shown = _chosen(campaigns, campaign)
    stands = history.found(shown)
    answered = {key: history.contributing(own) for key, own in stands.items()}
    wanted = history.by_campaign(stands)
    asked = [(each, {key: (own.made, own.note) for key, own in wanted[id(each)].items()})
             for each in shown if id(each) in wanted]  # fmt: skip
    paths = [each.runs.path for each, _ in asked if isinstance(each.runs, Runs)]
    rows: dict[Key, list[tuple[Any, ...]]] = {}
    for own in side_by_side(_tuples, asked, paths):
        for row in own:
            rows.setdefault((row[MACHINE], row[QUESTION_OF]), []).append(row)
    table = pd.DataFrame([row for key in sorted(rows) for row in rows[key]], columns=list(COLUMNS))
    table["question"] = table["question"].astype("category")  # what rows are looked up by
    table["round"] = _numbered(table, shown)
    places = {id(each) for each in shown}
    left_out = [each for each in campaigns if id(each) not in places]
    return Results(table, {each.machine: each for each in shown}, shown, left_out, answered)


def _numbered(table: pd.DataFrame, shown: Sequence[Campaign]) -> list[int | None]:
    """Return a number for each row's round, from 1 on each machine: none has two campaigns, or two groups, in common.

    Only what was alive at once is compared. Numbers rise from the oldest campaign to the newest, and are the same for
    all questions of a machine.
    """
    places = {(each.machine, each.name): place for place, each in enumerate(shown)}
    where = [
        None if pd.isna(number) else (machine, places[machine, name], int(number), int(group))
        for machine, name, number, group in zip(
            *(table[name].tolist() for name in ("machine", "campaign", "own_round", "group")), strict=True
        )
    ]
    numbers: dict[tuple[str, int, int, int], int] = {}
    counts: dict[str, int] = {}
    for each in sorted({each for each in where if each}):
        numbers[each] = counts[each[0]] = counts.get(each[0], 0) + 1
    return [None if each is None else numbers[each] for each in where]


def answering(runs: pd.DataFrame, machine: str, question: str) -> pd.DataFrame:
    """Return the runs that answer one question on one machine, without a copy of them.

    A table is ordered by both, so that they are found by halving it.
    """
    first, last = (int(runs["machine"].searchsorted(machine, side)) for side in ("left", "right"))
    asked = runs["question"].cat
    code = asked.categories.get_indexer([question])[0]
    begin, end = np.searchsorted(asked.codes.to_numpy()[first:last], (code, code + 1))
    return runs.iloc[first + begin : first + end]


def times_s(runs: pd.DataFrame) -> Times:
    """Return each competitor's seconds per step or epoch by round, of the runs that have a time."""
    found: Times = {}
    measured = runs[runs["step_s"].notna()]
    for environment, mode, number, step_s in measured[["environment", "mode", "round", "step_s"]].itertuples(
        False, None
    ):
        found.setdefault((environment, mode), {})[int(number)] = float(step_s)
    return found


def _chosen(campaigns: list[Campaign], name: str | None) -> list[Campaign]:
    """Return the campaigns to show, the later the more they count; unpublished ones where a machine has no other."""
    if name is None:
        ordered = sorted(campaigns, key=lambda each: each.began)
        published = {each.machine for each in ordered if each.is_published}
        newest = {each.machine: each for each in ordered}
        return [each for each in ordered
                if each.is_published or (each.machine not in published and each is newest[each.machine])]  # fmt: skip
    named = [each for each in campaigns if each.name == name]
    if not named:
        known = ", ".join(sorted(each.name for each in campaigns)) or "none yet"
        raise RecordError(f"There is no campaign {name!r}; there are: {known}.")
    return named


Wanted = Mapping[CaseKey, tuple[Made | None, str | None]]  # what the times of a case are made of, and a note on it


def rows_of(campaign: Campaign, wanted: Wanted) -> Iterator[Record]:
    """Yield the rows of what stands of a campaign's cases, each a dict of COLUMNS.

    One for each run, and one for each case that has none; times of other code than what stands are left out.
    """
    about = {key: {**_about(campaign, Case(*key)), "note": note} for key, (_, note) in wanted.items()}
    runs = ((key_of(run["case"]), run) for run in campaign.runs)
    last = {(key, run["round"]): run for key, run in runs if key in about and _stands(run, wanted[key][0])}
    yield from (_row(campaign, about[key], run) for (key, _), run in last.items())
    measured = {key for key, _ in last}
    yield from (_hole(campaign, own) for key, own in about.items() if key not in measured)


def _stands(run: Record, made: Made | None) -> bool:
    return made is None or run["status"] != "ok" or made_of(run) == made


@uncollected()
def _tuples(asked: tuple[Campaign, Wanted]) -> list[tuple[Any, ...]]:
    """Return what goes into the table of one campaign and those of its cases that stand."""
    return list(map(operator.itemgetter(*COLUMNS), rows_of(*asked)))


def _row(campaign: Campaign, about: Record, run: Record) -> Record:
    recorded = {name: run.get(name) for name in (*AS_RECORDED, *OVER_DATA)}  # None of what another kind measures
    used = utilization.of(run, campaign.context)._asdict()
    where = {"own_round": run["round"], "group": run.get("group", 0), "in_turns": records.took_turns(run)}
    if where["in_turns"]:  # judged over rounds: a block between its rivals' tells of the machine as much as of the run
        recorded["is_steady"] = None
    return {**about, **recorded, **where, **times(run), **used}


def _hole(campaign: Campaign, about: Record) -> Record:
    blank: Record = dict.fromkeys((*AS_RECORDED, *OVER_DATA, *COMPUTED, *utilization.COLUMNS))
    return {
        **blank,
        **about,
        "campaign": campaign.name,
        "own_round": None,
        "group": 0,
        "in_turns": False,
        "status": NOT_RUN,
        "reason": why_not_run(campaign),
    }


def why_not_run(campaign: Campaign) -> str:
    """Return why a case that a campaign was asked for has no run."""
    ended = f"the campaign ended ({campaign.end['reason']})" if campaign.end else "the campaign was interrupted"
    return f"{ended} before its turn"


def _about(campaign: Campaign, case: Case) -> Record:
    """Return what a row says about its case and its environment."""
    name, mode = case.environment, case.mode
    environment = campaign.environments.get(name, {})
    return {
        "machine": campaign.machine,
        "question": question_of(case, campaign.threads),
        **case._asdict(),
        "threads": campaign.threads,
        "day": campaign.day,
        "title": campaign.title(name),
        "framework": environment.get("framework"),
        "compiles": environment.get("modes", {}).get(mode),
        "is_default": records.default_mode(environment, case.task) == mode if environment else None,
    }


def times(run: Record) -> Record:
    """Return a run's seconds per step: median, processor time, and the blocks that count; None where not measured.

    Of a run over a data set, the seconds per epoch after the first.
    """
    counted_s = records.counted_s(run)
    return {"step_s": records.time_s(run), "cpu_step_s": cpu_step_s(run), "counted_s": counted_s or None}
