"""Every measured or asked cell with all that is known of it: the rows of cells.csv and of the Results table."""

import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from analysis import kinds, units
from analysis.data.schema import Column, Of, Table, asked, bounded, count, flag, measure
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.lineage import versions
from analysis.estimate.pairs import Pair
from analysis.found import Found, once
from analysis.groups import grouped
from analysis.load.campaigns import Campaign
from analysis.load.table import Results
from analysis.site.pages import measured_again, newer_releases
from analysis.stats import Row
from analysis.stats.interval import Interval
from analysis.text import loaders, sentences
from bench import ablations, proof, registry
from bench.cases import FED, STEPS
from bench.compiling import NOTHING
from bench.proof import parity as proven

OF_LATER, NOT_KEPT = "of later code", "not kept"
UNRECORDED = {True: "yes, not recorded what", False: "no", None: "not recorded"}  # of runs before November 2026

Kept = Mapping[Row, Sequence[proven.Pair]]  # competitor -> how its kept answer compares


class At(NamedTuple):
    """A cell beside the question that it answers, and where it comes from."""

    answer: Estimates
    cell: Cell
    framework: str
    machine: str  # its short name
    campaigns: Sequence[Campaign]  # that the question's rounds come from, oldest first
    kept: Kept  # answers of parity to the question, beside those of other environments
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
    made, short = list[At](), found.names
    newer = functools.cache(lambda machine, environment: newer_releases(found, [(machine, environment)]))
    for results, answers in ((found.results, found.answers), (found.results.ablations, found.changed)):
        framework_of = frameworks(results)
        filled = results.runs[["machine", "question", "batch_size", "steps_per_epoch"]].dropna().drop_duplicates()
        examples = {(row.machine, row.question): int(row.batch_size * row.steps_per_epoch)
                    for row in filled.itertuples()}  # fmt: skip
        for answer in answers:
            question = answer.question
            released = {version.cell.row: version.released for version in versions(answer)}
            for cell in answer.by_time:
                place = question.machine, cell.row[0]
                made.append(At(
                    answer,
                    cell,
                    framework_of[place],
                    short[question.machine],
                    found.results.answered[question.key],
                    _kept(found).get((question.workload, question.optimizer), {}),
                    _examples_of(answer, examples),
                    released.get(cell.row, ""),
                    newer(*place),
                ))  # fmt: skip
    return made


@once
def _kept(found: Found) -> Mapping[tuple[str, str], Kept]:
    """Return, by workload and optimiser, how each competitor's kept answer compares with others'."""
    pairs = (pair for pair in found.matrix if pair.environment_a != pair.environment_b)
    by_question = grouped(pairs, lambda pair: (pair.workload, pair.optimizer))
    return {
        question: grouped(own, lambda pair: (pair.environment_a, pair.mode_a)) for question, own in by_question.items()
    }


def frameworks(results: Results) -> Mapping[tuple[str, str], str]:
    """Return the framework of each environment of each machine: as recorded, else as its folder says."""
    folders = {name: environment.framework for name, environment in registry.environments().items()}
    seen = results.runs[["machine", "environment", "framework"]].drop_duplicates().itertuples(index=False)
    return {(machine, name): recorded or folders.get(name, name) for machine, name, recorded in seen}


def note(cell: Cell) -> str | None:
    """Return why a cell has no time, or what a reader must know about the one it has."""
    if cell.time is None:
        return cell.reason or cell.status
    unsteady = sentences.unsteady(cell) if cell.unsteady else None
    lost = f"{units.count(cell.lost_rounds, 'round')} without a time: {cell.reason}" if cell.lost_rounds else None
    eagerly = sentences.RAN_EAGERLY if cell.compiled == NOTHING else None
    return "; ".join(part for part in (eagerly, unsteady, lost, cell.note) if part) or None


def _examples_of(answer: Estimates, of_epochs: Mapping[tuple[str, str], int]) -> int | None:
    """Return how many examples a step, a pass, or the full batches of an epoch have."""
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
    return at.cell.to_fastest and verdict_of(at.cell.to_fastest)


def verdict_of(pair: Pair) -> str:
    """Return what may be claimed of the second's time over the first's."""
    return sentences.beside(pair.ratio, pair.claim, ("slower", "faster", "tie"))


def slower_than(at: At) -> int | None:
    """Return how many others are proven to be faster; None where no interval allows a claim."""
    return at.cell.rank - 1 if at.cell.rank is not None and sentences.can_rank(at.answer) else None


def compiled(at: At) -> str:
    """Return what a compiler made one program of, as far as it was recorded."""
    return at.cell.compiled or UNRECORDED[at.cell.compiles]


def parity(at: At) -> str | None:
    """Return with how many of the other kept answers a cell's agrees, as in "23 of 23"."""
    compared = at.kept.get(at.cell.row, ())
    return f"{sum(pair.passes for pair in compared)} of {len(compared)}" if compared else None


def parity_doubt(at: At) -> str | None:
    """Return why kept answers are not the proof of what was measured; None where they are.

    What was measured always had a proof. It is "of later code" if the answers that agree are those of the present code.
    It is "not kept" if no answer in that mode is kept.
    """
    if at.cell.row not in at.kept:
        return NOT_KEPT if at.cell.proofs else None
    answered = {pair.proof_a for pair in at.kept[at.cell.row]}
    return None if all(any(proof.same(own, each) for own in answered) for each in at.cell.proofs) else OF_LATER


def command(at: At) -> str | None:
    """Return the command that measures one cell again."""
    return measured_again(at.campaigns[-1], at.asked, at.cell) if at.cell.time else None


KEYS = {
    "machine": "name of the machine in the results",
    "workload": "name of the workload",
    "task": "train and infer: a step; epochs: an epoch by a hand-written loop; fit: by the framework's loop; "
            "feed: a pass over photographs from a loader",
    "batch_size": "examples in a batch",
    "optimizer": "none: inference",
    "precision": "fp32 is strict on a GPU; tf32 is the frameworks' default there",
    "device": "cpu or gpu",
    "threads": "threads that the process was given",
    "tier": "documented: as the framework's guide says; tuned; ablation: one thing changed",
    "data": "random: one random batch; else the data set",
}  # fmt: skip
KEY = [*KEYS, "environment", "mode"]


def key_columns(at: str = "") -> list[Column]:
    """Return the columns that name a cell; `at` leads to it from the row."""
    return [
        *(column._replace(about=KEYS[column.name]) for column in asked(f"{at}asked")),
        Column("environment", "name of the environment: a framework with its versions", f"{at}cell.row.0"),
        Column("mode", "how the framework runs; behind ~ what an ablation changed", f"{at}cell.row.1"),
    ]


def _interval(name: str, about: str, of: Of, unit: str = "1") -> list[Column]:
    return bounded(name, about, of, unit, whose=f" of {name}")


COLUMNS = [
    *key_columns(),
    Column("machine_name", "short name of the hardware", "machine"),
    Column("workload_title", "title of the workload", lambda at: units.workload_title(at.asked.workload)),
    Column("network", "what the network is mostly made of", lambda at: kinds.kind(at.asked.workload)),
    Column("title", "title of the environment with its version", "cell.title"),
    Column("framework", "name of the framework"),
    flag("is_default", "whether the mode is the one that the framework's guide documents first", "cell.is_default"),
    Column("released", "month of release of an old version that is compared with today's"),
    Column("status", "ok: there is a time; else why not", "cell.status"),
    Column("note", "why there is no time, or what to know about the time", lambda at: note(at.cell)),
    *_interval("time_s", "time of a step, an epoch or a pass: geometric mean over rounds", "cell.time", "s"),
    measure("median_s", "median over rounds", "cell.median_s", "s"),
    *_interval("throughput", "examples per second", throughput, "1/s"),
    *_interval("ratio", "time over that of the question's fastest, paired within rounds", ratio),
    count("ratio_rounds", "rounds that both share", "cell.to_fastest.ratio.rounds"),
    Column("verdict", "fastest, slower, tie (within 2 %), not significant or too few rounds", verdict),
    count("slower_than", "how many others are proven to be faster; empty without intervals", slower_than),
    flag("may_be_fastest", "whether no other is proven to be faster",
         lambda at: at.cell.time is not None and at.cell.row in at.answer.may_be_best),
    measure("behind_at_least", "least ratio to the fastest that the data allow",
            lambda at: at.answer.behind.get(at.cell.row)),
    count("rounds", "rounds with a time", "cell.rounds"),
    count("lost_rounds", "rounds without a time", "cell.lost_rounds"),
    Column("days", "days on which the campaigns of the times began", "cell.days"),
    Column("campaigns", "campaigns that the question's rounds come from",
           lambda at: [each.name for each in at.campaigns]),
    flag("in_turns", "whether it was measured block by block with the others; else alone", "cell.in_turns"),
    measure("first_step_cold_s", "first step or epoch with compiler caches emptied: median",
            "cell.first_step_cold_s", "s"),
    measure("first_step_warm_s", "the same with the caches of an earlier run", "cell.first_step_warm_s", "s"),
    measure("host_memory_bytes", "peak memory of the process: median", "cell.host_memory_bytes", "B"),
    measure("device_memory_bytes", "peak memory of the first GPU: median", "cell.device_memory_bytes", "B"),
    count("devices", "devices that share each batch", lambda at: ablations.devices(at.cell.row[1])),
    measure("communication_s", "time in communication between devices in a step, part of it during the backward pass:"
            " median", "cell.communication_s", "s"),
    measure("cores", "processor time over wall time", "cell.cores", ""),
    measure("energy_j", "energy of the GPU's board in a step or epoch", "cell.used.energy_j", "J"),
    measure("flops_s", "floating-point operations of the network's mathematics in a second", "cell.used.flops_s",
            "1/s"),
    measure("of_product", "share of the largest rate of a matrix product on this machine (MFU)",
            "cell.used.of_product"),
    measure("of_peak", "share of the GPU's peak by its data sheet (MFU)", "cell.used.of_peak"),
    measure("of_copy", "least bytes that must move, as a share of a copy's bandwidth: a lower bound",
            "cell.used.of_copy"),
    Column("compiled", "what a compiler made one program of", compiled),
    Column("parity", "how many of the other kept answers agree with this one's", parity),
    Column("parity_doubt", "why kept answers are not the proof of what was measured", parity_doubt),
    *(measure(f"p{part}_s", f"{part} % quantile of the time over the blocks, or the epochs after the first, of all "
              "runs", f"cell.spread.p{part}", "s") for part in (5, 50, 95, 99)),
    count("blocks", "blocks or epochs that the quantiles are over", "cell.spread.blocks"),
    count("steady", "runs that reached a steady state",
          lambda at: at.cell.rounds - at.cell.unsteady - at.cell.untested if at.cell.time else None),
    count("unsteady", "runs without a steady state", "cell.unsteady"),
    count("untested", "runs too short to tell", "cell.untested"),
    measure("trend", "by how much a block takes longer at a run's end", "cell.trend"),
    count("doubled", "runs that were measured twice as long to become steady", "cell.doubled"),
    Column("command", "command that measures the cell again", command),
]  # fmt: skip

TABLE = Table("cells.csv", "Every cell: one framework's mode at one task on one machine, with or without a time.",
              len(KEY), COLUMNS, rows)  # fmt: skip
