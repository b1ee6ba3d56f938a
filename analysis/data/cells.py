"""Every measured or asked cell with all that is known of it: the rows of cells.csv and of the Results table."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from analysis import kinds, units
from analysis.data import kept_answers
from analysis.data.schema import Column, Table
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.lineage import versions
from analysis.found import Found, once
from analysis.load.campaigns import Campaign
from analysis.load.table import Results
from analysis.site.pages import explorer_data, releases_of, reproduce
from analysis.stats.interval import Interval
from analysis.text import loaders, sentences
from bench.cases import FED, STEPS

UNRECORDED = {True: "yes, not recorded what", False: "no", None: "not recorded"}  # of runs before November 2026
VERDICTS = {"faster": "slower", "equivalent": "tie", "unresolved": "not significant"}


class At(NamedTuple):
    """A cell beside the question that it answers, and where it comes from."""

    answer: Estimates
    cell: Cell
    framework: str
    machine: str  # its short name
    campaigns: Sequence[Campaign]  # that the question's rounds come from, oldest first
    kept: kept_answers.Kept  # kept answers to the question
    examples: int | None  # in a step, an epoch or a pass
    released: str
    newer: str  # releases of its packages that are newer than what was measured

    @property
    def asked(self) -> Question:
        """The question."""
        return self.answer.question


@once
def rows(found: Found) -> Sequence[At]:
    """Return every cell: by question, the fastest first, cells without a time last."""
    return list(_rows(found))


def _rows(found: Found) -> Iterator[At]:
    short = found.names
    newer: dict[tuple[str, str], str] = {}  # by machine and environment
    for results, answers in ((found.results, found.answers), (found.results.ablations, found.changed)):
        known, examples = explorer_data.frameworks(results), _examples(results)
        for answer in answers:
            about, kept = answer.question, kept_answers.of(found, answer)
            released = {version.cell.row: version.released for version in versions(answer)}
            for cell in answer.by_time:
                place = about.machine, cell.row[0]
                if place not in newer:
                    newer[place] = releases_of(found.newer(*place))
                yield At(
                    answer,
                    cell,
                    known[place],
                    short[about.machine],
                    found.results.answered[about.key],
                    kept,
                    _examples_of(answer, examples),
                    released.get(cell.row, ""),
                    newer[place],
                )


def _examples(results: Results) -> Mapping[tuple[str, str], int]:
    """Return how many examples fill the batches of an epoch, by machine and question."""
    runs = results.runs[["machine", "question", "batch_size", "steps_per_epoch"]].dropna().drop_duplicates()
    return {(row.machine, row.question): int(row.batch_size * row.steps_per_epoch) for row in runs.itertuples()}


def _examples_of(answer: Estimates, of_epochs: Mapping[tuple[str, str], int]) -> int | None:
    if answer.question.task in STEPS:
        return answer.question.batch_size
    return loaders.photographs(answer) if answer.question.task in FED else of_epochs.get(answer.question.key)


def throughput(at: At) -> Interval | None:
    """Return examples per second with the interval."""
    return at.cell.time.inverse().scaled(at.examples) if at.cell.time and at.examples else None


def ratio(at: At) -> Interval | None:
    """Return the time as a multiple of the question's fastest, 1 of the fastest itself."""
    if at.cell.to_fastest:
        return at.cell.to_fastest.ratio
    return Interval(1.0, None, None, at.cell.rounds) if at.cell.is_fastest else None


def verdict(at: At) -> str | None:
    """Return what may be claimed of the ratio."""
    if at.cell.is_fastest:
        return "fastest" if at.cell.time else None
    if not at.cell.to_fastest:
        return None
    pair = at.cell.to_fastest
    return "too few rounds" if pair.ratio.low is None else VERDICTS[pair.claim]


def slower_than(at: At) -> int | None:
    """Return how many others are proven to be faster; None where no interval allows a claim."""
    is_ranked = at.cell.rank is not None and sentences.can_rank(at.answer)
    return None if not is_ranked or at.cell.rank is None else at.cell.rank - 1


def compiled(at: At) -> str:
    """Return what a compiler made one program of, as far as it was recorded."""
    return at.cell.compiled or UNRECORDED[at.cell.compiles]


def parity(at: At) -> str | None:
    """Return with how many of the other kept answers a cell's agrees, as in "23 of 23"."""
    own = at.kept.get(at.cell.row, ())
    return f"{sum(bool(row['passes']) for row in own)} of {len(own)}" if own else None


def command(at: At) -> str | None:
    """Return the command that measures one cell again."""
    return reproduce.row_command(at.campaigns[-1], at.answer, at.cell) if at.cell.time else None


def _interval(name: str, about: str, unit: str, of: Any) -> list[Column]:
    """Return three columns: a value and the bounds of its 99 % interval."""

    def bound(which: str) -> Any:
        return lambda at: getattr(found, which) if (found := of(at)) else None

    return [
        Column(name, about, bound("value"), unit, float),
        Column(f"{name}_low", f"lower bound of the 99 % interval of {name}", bound("low"), unit, float),
        Column(f"{name}_high", f"upper bound of the 99 % interval of {name}", bound("high"), unit, float),
    ]


def _of_cell(name: str, about: str, unit: str = "", kind: type = float) -> Column:
    return Column(name, about, lambda at: getattr(at.cell, name), unit, kind)


def _asked(name: str, about: str, kind: type = str) -> Column:
    return Column(name, about, lambda at: getattr(at.asked, name), "", kind)


def _used(name: str, about: str, unit: str = "1") -> Column:
    return Column(name, about, lambda at: getattr(at.cell.used, name), unit, float)


def _spread(place: int, name: str) -> Column:
    about = f"{name} % quantile of the time over the blocks, or the epochs after the first, of all runs"
    return Column(f"p{name}_s", about, lambda at: at.cell.spread[place] if at.cell.spread else None, "s", float)


def key_columns() -> list[Column]:
    """Return the columns that name a cell."""
    return [
        _asked("machine", "name of the machine in the results"),
        _asked("workload", "name of the workload"),
        _asked("task",
               "train and infer: a step; epochs: an epoch by a hand-written loop; fit: by the framework's loop; "
                       "feed: a pass over photographs from a loader"),
        _asked("batch_size", "examples in a batch", int),
        _asked("optimizer", "none: inference"),
        _asked("precision", "fp32 is strict on a GPU; tf32 is the frameworks' default there"),
        _asked("device", "cpu or gpu"),
        _asked("threads", "threads that the process was given", int),
        _asked("tier", "documented: as the framework's guide says; tuned; ablation: one thing changed"),
        _asked("data", "random: one random batch; else the data set"),
        Column("environment", "name of the environment: a framework with its versions", lambda at: at.cell.row[0]),
        Column("mode", "how the framework runs; behind ~ what an ablation changed", lambda at: at.cell.row[1]),
    ]  # fmt: skip


KEY = [column.name for column in key_columns()]

COLUMNS = [
    *key_columns(),
    Column("machine_name", "short name of the hardware", lambda at: at.machine),
    Column("workload_title", "title of the workload", lambda at: units.workload_title(at.asked.workload)),
    Column("network", "what the network is mostly made of", lambda at: kinds.kind(at.asked.workload)),
    Column("title", "title of the environment with its version", lambda at: at.cell.title),
    Column("framework", "name of the framework", lambda at: at.framework),
    _of_cell("is_default", "whether the mode is the one that the framework's guide documents first", "", bool),
    Column("released", "month of release of an old version that is compared with today's", lambda at: at.released),
    Column("status", "ok: there is a time; else why not", lambda at: at.cell.status),
    Column("note", "why there is no time, or what to know about the time", lambda at: explorer_data.note(at.cell)),
    *_interval("time_s", "time of a step, an epoch or a pass: geometric mean over rounds", "s",
               lambda at: at.cell.time),
    _of_cell("median_s", "median over rounds", "s"),
    *_interval("throughput", "examples per second", "1/s", throughput),
    *_interval("ratio", "time over that of the question's fastest, paired within rounds", "1", ratio),
    Column("ratio_rounds", "rounds that both share", lambda at: at.cell.to_fastest and at.cell.to_fastest.ratio.rounds,
           "", int),
    Column("verdict", "fastest, slower, tie (within 2 %), not significant or too few rounds", verdict),
    Column("slower_than", "how many others are proven to be faster; empty without intervals", slower_than, "", int),
    Column("may_be_fastest", "whether no other is proven to be faster",
           lambda at: at.cell.time is not None and at.cell.row in at.answer.may_be_best, "", bool),
    Column("behind_at_least", "least ratio to the fastest that the data allow",
           lambda at: at.answer.behind.get(at.cell.row),
           "1", float),
    _of_cell("rounds", "rounds with a time", "", int),
    _of_cell("lost_rounds", "rounds without a time", "", int),
    Column("days", "days on which the campaigns of the times began", lambda at: at.cell.days),
    Column("campaigns", "campaigns that the question's rounds come from",
           lambda at: [each.name for each in at.campaigns]),
    _of_cell("in_turns", "whether it was measured block by block with the others; else alone", "", bool),
    _of_cell("first_step_cold_s", "first step or epoch with compiler caches emptied: median", "s"),
    _of_cell("first_step_warm_s", "the same with the caches of an earlier run", "s"),
    _of_cell("host_memory_bytes", "peak memory of the process: median", "B"),
    _of_cell("device_memory_bytes", "peak memory of the GPU: median", "B"),
    _of_cell("cores", "processor time over wall time"),
    _used("energy_j", "energy of the GPU's board in a step or epoch", "J"),
    _used("flops_s", "floating-point operations of the network's mathematics in a second", "1/s"),
    _used("of_product", "share of the largest rate of a matrix product on this machine (MFU)"),
    _used("of_peak", "share of the GPU's peak by its data sheet (MFU)"),
    _used("of_copy", "least bytes that must move, as a share of a copy's bandwidth: a lower bound"),
    Column("compiled", "what a compiler made one program of", compiled),
    Column("parity", "how many of the other kept answers agree with this one's", parity),
    Column("parity_doubt", "why kept answers are not the proof of what was measured",
           lambda at: kept_answers.doubted(at.kept, at.cell)),
    *(_spread(place, name) for place, name in enumerate(("5", "50", "95", "99"))),
    Column("blocks", "blocks or epochs that the quantiles are over",
           lambda at: at.cell.spread and at.cell.spread.blocks,
           "", int),
    Column("steady", "runs that reached a steady state",
           lambda at: at.cell.rounds - at.cell.unsteady - at.cell.untested if at.cell.time else None, "", int),
    _of_cell("unsteady", "runs without a steady state", "", int),
    _of_cell("untested", "runs too short to tell", "", int),
    _of_cell("trend", "by how much a block takes longer at a run's end", "1"),
    _of_cell("doubled", "runs that were measured twice as long to become steady", "", int),
    Column("command", "command that measures the cell again", command),
]  # fmt: skip

TABLE = Table("cells.csv", "Every cell: one framework's mode at one task on one machine, with or without a time.", KEY,
              COLUMNS, rows)  # fmt: skip
