"""Estimate one question: each competitor's time with its interval, each pair's ratio, what is claimed, the ranks."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from analysis.estimate.cells import COLUMNS, Cell, Runs, cell_of, mean_s, step_s, taken
from analysis.estimate.pairs import Pair, adjusted, beaten_by, best_of, between, connected, pairs_of
from analysis.groups import collected, grouped
from analysis.load.campaigns import question_of
from analysis.load.history import Key
from analysis.load.table import Results, recall
from analysis.stats import Row, interval, moments, shared_variance
from analysis.stats.moments import Moments
from analysis.stats.shared_variance import NOTHING, Shared
from bench import registry
from bench.cases import Case, usual_sizes


class Question(NamedTuple):
    """What competitors have in common: only answers to one question on one machine are compared."""

    machine: str
    workload: str
    task: str
    precision: str
    device: str
    batch_size: int
    optimizer: str
    tier: str
    data: str
    threads: int  # that each competitor was given

    @property
    def key(self) -> Key:
        """What the table of runs knows it by."""
        about = {name: value for name, value in self._asdict().items() if name in Case._fields}
        return self.machine, question_of(Case(environment="", mode="", layout="", **about), self.threads)

    @property
    def place(self) -> tuple[int, int, int]:
        """Its place among a known workload's questions: by optimizer, then by batch size, the usual one first.

        Raises:
            ValueError: the workload knows no such optimizer.
        """
        problem = registry.workload(self.workload)
        sizes = usual_sizes(problem, self.task, self.device)
        usual = sizes.index(self.batch_size) if self.batch_size in sizes else len(sizes)
        return [*problem.OPTIMIZERS, "none"].index(self.optimizer), usual, self.batch_size


class SharedVariances(NamedTuple):
    """What is known of a machine with one number of threads, from all of its questions."""

    pairs: Shared = NOTHING
    times: Shared = NOTHING

    def of_mean(self, workloads: Collection[str]) -> "SharedVariances":
        """Return what is known of a mean over questions: no prior, and of several workloads what is common to all."""
        own = {"", *workloads} if len(set(workloads)) == 1 else {""}
        pairs, times = (each._replace(freedom=0.0, between={key: apart for key, apart in each.between.items()
                                                            if key[0] in own}) for each in self)  # fmt: skip
        return SharedVariances(pairs, times)


class Estimates(NamedTuple):
    """The answers to one question, by rank, those without an answer last."""

    question: Question
    cells: list[Cell]
    pairs: list[Pair]
    may_be_best: Sequence[Row] = ()  # in alphabetical order: all that are behind nobody
    behind: Mapping[Row, float] = {}  # by at least which factor each other competitor is slower than the fastest
    shared: SharedVariances = (
        SharedVariances()
    )  # what the other questions of its machine say about the variances of this one

    @property
    def measured(self) -> list[Cell]:
        """The competitors that have a time."""
        return [cell for cell in self.cells if cell.time is not None]

    @property
    def leading(self) -> list[Cell]:
        """The competitors that may be the fastest."""
        return [cell for cell in self.measured if cell.row in self.may_be_best]

    @property
    def by_time(self) -> list[Cell]:
        """The competitors, the fastest first, those without a time last."""
        return sorted(self.cells, key=lambda cell: (mean_s(cell), cell.row))

    def is_tied(self, cell: Cell) -> bool:
        """Say whether another competitor has the same rank."""
        return sum(other.rank == cell.rank for other in self.measured) > 1


class Read(NamedTuple):
    """One question's competitors, and what their rounds say of each two: all but what other questions add to that."""

    question: Question
    cells: list[Cell]
    moments: Moments  # of pairs
    alone: Moments  # of single times
    campaigns: Collection[str]


def estimate_all(results: Results) -> list[Estimates]:
    """Estimate every question on every machine, in the order of the table's names, once for a table."""
    return [*recall(results.runs, "estimates", _estimate_all)]


def _estimate_all(table: pd.DataFrame) -> list[Estimates]:
    asked = ((Question(*key), runs) for key, runs in table.groupby([*Question._fields], sort=True))
    found = [_read(about._replace(batch_size=int(about.batch_size), threads=int(about.threads)), _by_row(runs))
             for about, runs in asked]  # fmt: skip
    groups = grouped(found, lambda read: (read.question.machine, read.question.threads))
    shared = {key: shared_by(alike) for key, alike in groups.items()}
    return [_estimated(read, shared[read.question.machine, read.question.threads]) for read in found]


def shared_by(questions: Sequence[Read]) -> SharedVariances:
    """Return what questions of one machine with one number of threads say about each other's variances."""
    campaigns = {name for each in questions for name in each.campaigns}
    alone = shared_variance.fit_alone([each.alone for each in questions], len(campaigns))
    return SharedVariances(shared_variance.fit([each.moments for each in questions]), alone)


def usual_threads(answers: Sequence[Estimates]) -> int:
    """Return the number of threads that most questions were answered with in turns, else alone; 0 where none was."""
    known = (each for each in answers if each.measured)
    by_threads = collected((each.question.threads, any(cell.in_turns for cell in each.measured)) for each in known)
    return max(by_threads, key=lambda threads: (sum(by_threads[threads]), len(by_threads[threads]), threads), default=0)


def with_usual_threads(answers: Sequence[Estimates]) -> list[Estimates]:
    """Return the answers with the number of threads that is usual on their machine."""
    machines = {each.question.machine for each in answers}
    usual = {name: usual_threads([each for each in answers if each.question.machine == name]) for name in machines}
    return [each for each in answers if each.question.threads == usual[each.question.machine]]


def first_questions(answers: Sequence[Estimates]) -> list[Estimates]:
    """Return of each known workload, the lightest first, the question with its first batch size and optimizer.

    Only questions with the usual number of threads count, if there are any.
    """
    alike = with_usual_threads(answers) or answers  # or nothing was measured

    by_workload = (of_workload(alike, name) for name in registry.workload_names())
    return [min(own, key=lambda each: (each.question.task != "train", each.question.place, not each.measured))
            for own in by_workload if own]  # fmt: skip


def of_workload(answers: Sequence[Estimates], name: str) -> list[Estimates]:
    """Return the answers to a known workload's questions, but for optimizers that it does not know."""
    optimizers = [*registry.workload(name).OPTIMIZERS, "none"]
    return [each for each in answers if each.question.workload == name and each.question.optimizer in optimizers]


def in_default_mode(answer: Estimates) -> Estimates:
    """Keep only competitors in their documented default mode, as if no others had been compared."""
    return among(answer, [cell for cell in answer.cells if cell.is_default])


def among(answer: Estimates, cells: Sequence[Cell]) -> Estimates:
    """Keep only some competitors, as if no others had been compared."""
    kept = {cell.row for cell in cells}
    pairs = [pair for pair in answer.pairs if kept >= {pair.a, pair.b}]
    return _judged(answer.question, cells, pairs, answer.shared)


def _by_row(runs: pd.DataFrame) -> dict[Row, Runs]:
    columns = {name: runs[name].tolist() for name in COLUMNS}
    rows = zip(runs["environment"].tolist(), runs["mode"].tolist(), strict=True)
    places = collected((row, place) for place, row in enumerate(rows))
    return {row: taken(columns, own) for row, own in places.items()}


def estimate_rows(question: Question, runs: Mapping[Row, Runs], shared: SharedVariances) -> Estimates:
    """Estimate one question from the runs of each competitor, which have COLUMNS."""
    return _estimated(_read(question, runs), shared)


def _read(question: Question, runs: Mapping[Row, Runs]) -> Read:
    cells = [cell_of(row, runs[row], question.device) for row in sorted(runs)]
    ordered = sorted((cell for cell in cells if cell.time is not None), key=mean_s)
    campaigns = {number: name for own in runs.values()
                 for number, name in zip(own["round"], own["campaign"], strict=True)}  # fmt: skip
    times = {cell.row: step_s(runs[cell.row]) for cell in ordered}
    about = campaigns, {cell.row: cell.in_turns for cell in ordered}, question.workload
    both = moments.of_pairs(times, *about), moments.of_times(times, *about)
    return Read(question, cells, *both, {campaigns[number] for own in times.values() for number in own})


def _estimated(read: Read, shared: SharedVariances) -> Estimates:
    cells = _with_drift(read.cells, read.alone, shared.times)
    return _judged(read.question, cells, pairs_of(read.moments, shared.pairs), shared)


def _with_drift(cells: Sequence[Cell], alone: Moments, shared: Shared) -> list[Cell]:
    """Return the cells, of whose intervals what campaigns differ by is a part."""
    errors, freedom = shared_variance.errors(alone, shared)
    found, _ = interval.of_moments(alone.centre, errors, freedom, alone.rounds)
    times = {row: time for (_, row), time in zip(alone.pairs, found, strict=True)}
    return [cell._replace(time=times[cell.row]._replace(value=cell.time.value)) if cell.time else cell
            for cell in cells]  # fmt: skip


def _judged(question: Question, cells: Sequence[Cell], pairs: Sequence[Pair], shared: SharedVariances) -> Estimates:
    """Adjust what is claimed over these pairs, and give ranks to those that share rounds, directly or through others.

    All ties for the fastest have rank 1. Any other rank is 1 plus the number of competitors claimed to be faster, and
    at least 2.
    """
    judged = adjusted(pairs)
    fastest, faster = _fastest(cells, judged), beaten_by(judged)
    rows = sorted(connected(fastest.row, judged)) if fastest else []
    found = best_of(rows, judged)
    ahead = [row for row in rows if not faster.get(row)]
    may_be_best = [row for row in ahead if row in found.may_be] or ahead
    ranks = {row: 1 if row in may_be_best else max(2, 1 + len(faster.get(row, ()))) for row in rows}
    beside = [pair for pair in judged if fastest and fastest.row in (pair.a, pair.b)]
    ranked = [
        cell._replace(
            rank=ranks.get(cell.row),
            to_fastest=between(beside, fastest.row, cell.row) if fastest else None,
            is_fastest=cell is fastest,
        )
        for cell in cells
    ]
    behind = {row: least for row, least in found.behind.items() if row not in may_be_best}
    ordered = sorted(ranked, key=lambda cell: (cell.rank or len(cells) + 1, mean_s(cell), cell.row))
    return Estimates(question, ordered, judged, may_be_best, behind, shared)


def _fastest(cells: Sequence[Cell], pairs: Sequence[Pair]) -> Cell | None:
    """Return the fastest of those that share rounds with most others."""
    shared = Counter(row for pair in pairs for row in (pair.a, pair.b))
    known = (cell for cell in cells if cell.time is not None)
    return min(known, key=lambda cell: (-shared[cell.row], mean_s(cell), cell.row), default=None)
