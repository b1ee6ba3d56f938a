"""Read result files into one long table: a row for each run, and for each case that was asked for and has none."""

import functools
import weakref
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import pandas as pd

from analysis.load import history, utilization
from analysis.load.campaigns import Campaign, question_of, read_campaigns
from analysis.load.history import Key, Standing
from analysis.load.outcomes import Numbers, Provenance, provenance_of
from analysis.stats import Row
from bench import ablations, registry
from bench.cases import Case
from bench.errors import RecordError
from bench.results.lines import Environment, Epochs, Run

ABOUT = ("machine", "question", *Case._fields, "title", "framework", "compiles", "is_default", "threads", "day",
         "note")  # fmt: skip # of a case, whatever its run
AS_RECORDED = (
    "campaign", "duration_s", "cache", "status", "reason", "proof", "code", "timing", "compiled", "import_s", "build_s",
    "first_step_s", "is_steady", "was_doubled", "peak_host_memory_bytes", "peak_device_memory_bytes",
    "communication_s",
    "epoch_s", "losses", "score", "test_scores", "steps_per_epoch",  # of epochs only
    "loading_s", "loading_cold_s", "loading_bytes", "storage", "waiting_s", "conversion_s", "conversion_bytes",
    "utilization",  # of what a loader fed
)  # fmt: skip
NOT_RUN = "not_run"  # the status of a case that was asked for and has no line
NOT_USED = utilization.Shares()
NO_NUMBERS = Numbers((), None, None, in_turns=False)

Times = dict[Row, dict[int, float]]  # by competitor and round
T = TypeVar("T")
_MADE: dict[int, dict[Hashable, object]] = {}  # by the table's identity


class Results(NamedTuple):
    """What is shown: one long table of runs, and the newest campaign of each machine."""

    runs: (
        pd.DataFrame
    )  # one row per run, ordered by machine and question; `own_round` is of its campaign, `round` of all
    campaigns: dict[str, Campaign]  # by machine
    shown: Sequence[Campaign] = ()  # all that the runs come from, the newest last
    left_out: Sequence[Campaign] = ()  # read, and not concluded from: interrupted, or made to test the code
    answered: Mapping[Key, Sequence[Campaign]] = {}  # a question by the campaigns that its runs come from, oldest first
    changed_runs: pd.DataFrame | None = None  # those of the ablations, which are compared with no others

    @property
    def machines(self) -> list[str]:
        """The machines' names in alphabetical order."""
        return sorted(self.campaigns)

    def of(self, tasks: Sequence[str]) -> "Results":
        """Return only the runs of some tasks: those on one batch, or those over a data set."""
        return self._replace(runs=self.runs[self.runs["task"].isin(tasks)])

    @property
    def ablations(self) -> "Results":
        """The runs of the ablations alone: what one thing was changed of, and what came."""
        return self._replace(runs=self.runs.iloc[:0] if self.changed_runs is None else self.changed_runs)

    def came_from(self, questions: Sequence[Key]) -> list[str]:
        """Return what the runs that answer some questions depend on: the questions, and the hashes of their files."""
        return [text for key in questions for text in (*key, *(each.source for each in self.answered[key]))]

    def environment(self, machine: str, name: str) -> Environment | None:
        """Return an environment's newest record, or None when it was never installed on that machine."""
        own = (each for each in reversed(self.shown) if each.machine == machine)
        return next(
            (each.environments[name] for each in (self.campaigns[machine], *own) if name in each.environments), None
        )


def read_results(folder: str | Path, campaign: str | None = None) -> Results:
    """Read a results folder: the current results of all published campaigns, or of `campaign` alone.

    Raises RecordError for a line that breaks the schema and for a campaign that does not exist.
    """
    campaigns = read_campaigns(folder)
    shown = _chosen(campaigns, campaign)
    stands = history.standings(shown)
    answered = {key: history.contributing(own) for key, own in stands.items()}
    table = _table([each for own, wanted in history.by_campaign(stands, shown) for each in _rows(own, wanted)])
    table["round"] = _numbered(table, shown)
    places = {id(each) for each in shown}
    left_out = [each for each in campaigns if id(each) not in places]
    is_changed = table["tier"] == ablations.TIER
    usual, changed = (table[mask].reset_index(drop=True) for mask in (~is_changed, is_changed))
    return Results(usual, {each.machine: each for each in shown}, shown, left_out, answered, changed)


def _numbered(table: pd.DataFrame, shown: Sequence[Campaign]) -> pd.Series:
    """Return a number for each row's round, from 1 on each machine: none has two campaigns, or two groups, in common.

    Only what was alive at once is compared. Numbers rise from the oldest campaign to the newest, and are the same for
    all questions of a machine.
    """
    places = {(each.machine, each.name): place for place, each in enumerate(shown)}
    where = table[["machine", "own_round", "group"]].assign(
        campaign=[places[own] for own in zip(table["machine"], table["campaign"], strict=True)]
    )
    known = where.dropna().drop_duplicates().sort_values(["machine", "campaign", "own_round", "group"])
    known["round"] = known.groupby("machine").cumcount() + 1
    return where.merge(known, how="left", on=list(where.columns))["round"]


def recall(runs: pd.DataFrame, name: Hashable, make: Callable[[pd.DataFrame], T]) -> T:
    """Return what `make` returns for a table, which nobody changes; remembered by name as long as the table lives."""
    if id(runs) not in _MADE:
        _MADE[id(runs)] = {}
        weakref.finalize(runs, _MADE.pop, id(runs)).atexit = False
    made = _MADE[id(runs)]
    if name not in made:
        made[name] = make(runs)
    found: T = made[name]  # type: ignore[assignment]  # of the same name, of the same kind
    return found


def answering(runs: pd.DataFrame, machine: str, question: str) -> pd.DataFrame:
    """Return the runs that answer one question on one machine; a table's rows are looked at once, for all questions."""
    return recall(runs, "by question", _by_question).get((machine, question), runs.iloc[:0])


def _by_question(runs: pd.DataFrame) -> dict[Key, pd.DataFrame]:
    return dict(iter(runs.groupby(["machine", "question"], observed=True, sort=False)))


def by_row(runs: pd.DataFrame, values: pd.Series) -> Times:
    """Return each competitor's values by round; `values` has one for each run, or nothing."""
    times: Times = {}
    columns = (column[values.notna()].tolist() for column in (runs["environment"], runs["mode"], runs["round"], values))
    for environment, mode, number, value in zip(*columns, strict=True):
        times.setdefault((environment, mode), {})[int(number)] = float(value)
    return times


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


class Entry(NamedTuple):
    """What a row of the table is made of: a run, or None where a case has none."""

    campaign: Campaign
    about: dict[str, object]  # what the row says of its case and environment
    run: Run | Epochs | None
    numbers: Numbers


def _rows(campaign: Campaign, wanted: Mapping[Case, Standing]) -> Iterator[Entry]:
    """Yield the rows of a campaign's current cases; times of other code than the current results are left out."""
    about = {case: {**_about(campaign, case), "note": standing.note} for case, standing in wanted.items()}
    runs = zip(campaign.runs, campaign.numbers, strict=True)
    last = {(run.case, run.round): (run, numbers) for run, numbers in runs
            if run.case in about and _stands(run, wanted[run.case].provenance)}  # fmt: skip
    yield from (Entry(campaign, about[case], *both) for (case, _), both in last.items())
    measured = {case for case, _ in last}
    yield from (Entry(campaign, row, None, NO_NUMBERS) for case, row in about.items() if case not in measured)


def _stands(run: Run | Epochs, wanted: Provenance | None) -> bool:
    return wanted is None or run.status != "ok" or provenance_of(run) == wanted


def _table(rows: Sequence[Entry]) -> pd.DataFrame:
    """Return the rows as a table, ordered by machine and question. Steps and their seconds are epochs', of epochs."""
    rows = sorted(rows, key=lambda row: (row.campaign.machine, str(row.about["question"])))
    used = [utilization.of(row.run, row.numbers.time_s, row.campaign.context) if row.run and row.numbers.time_s
            else NOT_USED for row in rows]  # fmt: skip
    columns: dict[str, list[Any]] = {
        **{name: [row.about[name] for row in rows] for name in ABOUT},
        **{name: [getattr(row.run, name, None) for row in rows] for name in AS_RECORDED},
        **{name: [getattr(shares, name) for shares in used] for name in utilization.COLUMNS},
        "own_round": [row.run and row.run.round for row in rows],
        "group": [(row.run and row.run.group) or 0 for row in rows],
        "in_turns": [row.numbers.in_turns for row in rows],
        "step_s": [row.numbers.time_s for row in rows],
        "cpu_step_s": [row.numbers.cpu_step_s for row in rows],
        "counted_s": [row.numbers.counted_s or None for row in rows],
        "compiles": [_compiles(row) for row in rows],
        # Judged over rounds: a block between its rivals' tells of the machine as much as of the run.
        "is_steady": [None if row.numbers.in_turns else getattr(row.run, "is_steady", None) for row in rows],
    }
    for place, row in enumerate(rows):
        if row.run is None:
            columns["status"][place], columns["reason"][place] = NOT_RUN, why_not_run(row.campaign)
            columns["campaign"][place] = row.campaign.name
    table = pd.DataFrame(columns)
    table["question"] = table["question"].astype("category")  # what rows are looked up by
    return table


def _compiles(row: Entry) -> object:
    """Say whether a run's mode asks a compiler; None if that may compile nothing, and the run does not say."""
    asks = row.about["compiles"]
    has_said = row.run is None or row.run.compiled is not None
    return None if asks and row.about["is_partial"] and not has_said and row.numbers.time_s else asks


def why_not_run(campaign: Campaign) -> str:
    """Return why a case that a campaign was asked for has no run."""
    ended = f"the campaign ended ({campaign.end.reason})" if campaign.end else "the campaign was interrupted"
    return f"{ended} before its turn"


@functools.cache
def _is_partial(environment: str, mode: str) -> bool:
    known = registry.environments().get(environment)
    return known is not None and any(each.partial for each in known.modes if each.name == mode)


def _about(campaign: Campaign, case: Case) -> dict[str, object]:
    """Return what a row says about its case and its environment."""
    mode, environment = ablations.split(case.mode)[0], campaign.environments.get(case.environment)
    return {
        "machine": campaign.machine,
        "question": question_of(case, campaign.threads),
        **case._asdict(),
        "threads": campaign.threads,
        "day": campaign.day,
        "title": campaign.title(case.environment),
        "framework": environment and environment.framework,
        "compiles": environment and environment.modes.get(mode),
        "is_partial": _is_partial(case.environment, mode),
        "is_default": environment and environment.default_of(case.task) == case.mode,
    }
