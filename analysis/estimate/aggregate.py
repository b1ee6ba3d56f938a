"""Questions taken together, as articles do: which kind of run to show, and means over batch sizes and networks.

A measure is what is taken of each run, a column of numbers: its time, first step or epoch, score, loss, or memory.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from analysis.estimate.cells import COLUMNS, Runs, is_missing, taken
from analysis.estimate.estimates import Estimates, Question, estimate_rows, usual_threads
from analysis.groups import collected, grouped
from analysis.load.table import Results, answering, by_row, recall
from analysis.stats import Row
from analysis.stats.interval import MIN_ROUNDS
from bench import dataset
from bench.cases import read_data

TASKS = ("epochs", "train", "infer")  # what an article is answered with
NO_MEAN = ("compiled", "counted_s", "cpu_step_s", "first_step_s", "peak_host_memory_bytes", "peak_device_memory_bytes",
           "communication_s")  # fmt: skip
NAMED = ("environment", "mode")
PART_MISSING = "no round has each of the batch sizes, optimisers and networks that the mean is over"

Measure = Callable[[pd.DataFrame], pd.Series]  # of some runs, a number for each


def step_s(runs: pd.DataFrame) -> pd.Series:
    """Return each run's number: seconds per step, or per epoch after the first."""
    return runs["step_s"]


def over_data(answers: Sequence[Estimates]) -> list[Estimates]:
    """Return the best answers that are of training over data, cut data included: only these have epochs and scores."""
    return best([each for each in answers if each.question.task == "epochs"])


def best(answers: Sequence[Estimates]) -> list[Estimates]:
    """Return the answers of one kind of run: the one with a time for most networks, of several the one worth most.

    Epochs over a cut data set come last: they hold so few steps that the first ones weigh on them.
    """

    def merit(answer: Estimates) -> tuple[bool, int, bool, float]:
        """Return a key for each kind: whole data before steps before cut data, real before stand-in."""
        _, is_stand_in, examples = read_data(answer.question.data)
        return bool(examples), TASKS.index(answer.question.task), is_stand_in, -(examples or math.inf)

    asked = [answer for answer in answers if answer.question.task in TASKS]
    kinds = grouped((answer for answer in asked if answer.measured), merit)
    chosen = min(kinds, key=lambda kind: (-len(by_workload(kinds[kind])), kind), default=None)
    return [answer for answer in asked if merit(answer) == chosen]


def blocks(answers: Sequence[Estimates]) -> list[list[Estimates]]:
    """Return groups of answers that one view may show: they differ in network, batch size and optimiser only.

    Those with the usual number of threads come first.
    """
    found = grouped(answers, lambda each: each.question._replace(workload="", batch_size=0, optimizer="", data=""))
    threads = usual_threads(answers)
    return sorted(found.values(), key=lambda own: own[0].question.threads != threads)


def facets(block: Sequence[Estimates]) -> dict[tuple[str, int], list[Estimates]]:
    """Return a block's answers by optimiser and batch size."""
    return dict(sorted(grouped(block, _facet).items()))


def _facet(answer: Estimates) -> tuple[str, int]:
    return answer.question.optimizer, answer.question.batch_size


def common(block: Sequence[Estimates]) -> list[Estimates]:
    """Return the answers of those facets that every network with a time has: a mean over others would be unfair."""
    measured = [each for each in block if each.measured]
    own = [set(map(_facet, group)) for group in by_workload(measured).values()]
    return [each for each in measured if all(_facet(each) in of for of in own)]


def averaged(results: Results, block: Sequence[Estimates]) -> list[Estimates]:
    """Return the answers that a mean over a block is of: those of all networks' facets that share their rounds.

    A mean over facets that no campaign measured together would have no round that holds them all. So of each network
    it is over those that one campaign has, see `of_one_campaign`.
    """
    shared = common(block)
    own = [set(map(_facet, of_one_campaign(results, each))) for each in by_workload(shared).values()]
    return [each for each in shared if all(_facet(each) in of for of in own)]


def by_workload(answers: Sequence[Estimates]) -> dict[str, list[Estimates]]:
    """Return answers by network, in the order in which the networks first appear."""
    return grouped(answers, lambda each: each.question.workload)


def geometric(times_s: np.ndarray) -> float:
    """Return the geometric mean: its ratios weigh each part alike, however long it takes."""
    return float(np.exp(np.log(times_s).mean()))


def pooled(
    results: Results,
    answers: Sequence[Estimates],
    number: Measure = step_s,
    average: Callable[[np.ndarray], float] = np.mean,
    rows: Sequence[Row] | None = None,
) -> Estimates:
    """Estimate a mean of several questions' times, of all competitors or of `rows`; ratios stay paired within rounds.

    A competitor has no mean in a round if one of the questions has no time in it. Rounds of different campaigns share
    no state of the machine, and are never joined.
    """
    parts = [runs_of(results.runs, each.question) for each in answers]
    columns = {name: [value for part in parts for value in part[name].tolist()] for name in (*NAMED, *COLUMNS)}
    columns["step_s"] = [value for part in parts for value in number(part).where(part["step_s"].notna()).tolist()]
    wanted = ((row, places) for row, places in _rounds(columns) if rows is None or row in rows)
    found = collected((row, _mean(taken(columns, places), len(parts), average)) for row, places in wanted)
    own = {row: {name: [mean[name] for mean in means] for name in COLUMNS} for row, means in found.items()}
    shared = answers[0].shared.of_mean([each.question.workload for each in answers])
    return estimate_rows(answers[0].question, own, shared)


def _rounds(columns: Runs) -> list[tuple[Row, list[int]]]:
    """Return the places of the runs of each competitor and round, in order; what was never run comes last."""
    runs = enumerate(zip(*(columns[name] for name in (*NAMED, "round")), strict=True))
    found = collected(((environment, mode, is_missing(number), 0 if is_missing(number) else number), place)
                      for place, (environment, mode, number) in runs)  # fmt: skip
    return [(key[:2], found[key]) for key in sorted(found)]


def means(results: Results, block: Sequence[Estimates], number: Measure = step_s) -> dict[str, Estimates]:
    """Return the mean over the facets that `averaged` chooses, by network; under "" over several networks."""
    shared = averaged(results, block)
    networks = by_workload(shared)
    parts = {"": shared, **networks} if len(networks) > 1 else networks
    return {name: pooled(results, own, number) for name, own in parts.items()}


def of_one_campaign(results: Results, answers: Sequence[Estimates]) -> list[Estimates]:
    """Return the answers that one campaign gave times of: that which gave most, with most rounds, or the newest.

    They share its rounds, and those of all others that measured them as well. A campaign that made too few rounds of
    one for an interval gave none, unless all did: it would leave the mean with as few.
    """

    def campaigns(answer: Estimates) -> list[str]:
        runs = runs_of(results.runs, answer.question)
        rounds = runs[runs["step_s"].notna()].groupby("campaign")["round"].nunique()
        return sorted(rounds.index[rounds >= MIN_ROUNDS]) or sorted(rounds.index) or [""]

    found = collected((name, answer) for answer in answers for name in campaigns(answer))

    def merit(name: str) -> tuple[int, int, str]:
        rounds = (cell.rounds for answer in found[name] for cell in answer.measured)
        return len(found[name]), max(rounds, default=0), name

    return found[max(found, key=merit)] if found else []


def shared(answers: Sequence[Estimates]) -> tuple[list[Estimates], list[Row]]:
    """Return answers, and competitors with a time in each of them, that make the largest table without a hole.

    Those with the most answers come first: one that has few would leave next to none in common.
    """
    times = Counter(cell.row for answer in answers for cell in answer.measured)
    chosen = [sorted(row for row in times if times[row] >= least) for least in sorted(set(times.values()))]
    tables = [([each for each in answers if {cell.row for cell in each.measured} >= {*rows}], rows) for rows in chosen]
    return max(tables, key=lambda table: (len(table[0]) * len(table[1]), len(table[0]))) if tables else ([], [])


def runs_of(runs: pd.DataFrame, question: Question) -> pd.DataFrame:
    """Return the runs that answer a question."""
    return answering(runs, *question.key)


def campaign_of(runs: pd.DataFrame) -> dict[int, str]:
    """Return which campaign each round is of."""
    return recall(runs, "campaign of", lambda own: dict(zip(own["round"], own["campaign"], strict=True)))


def by_round(runs: pd.DataFrame, about: Question, row: Row, measure: Measure) -> dict[int, float]:
    """Return what a measure says of one competitor of a question, by round."""
    return recall(runs_of(runs, about), measure, lambda asked: by_row(asked, measure(asked))).get(row, {})


def of_row(runs: pd.DataFrame, row: Row) -> pd.DataFrame:
    """Return a competitor's of some runs: one environment's in one mode."""
    return recall(runs, ("row", *row), lambda own: own[(own["environment"] == row[0]) & (own["mode"] == row[1])])


def _mean(runs: Runs, parts: int, average: Callable[[np.ndarray], float]) -> dict[str, object]:
    """Return one run for a competitor's runs of a round, with their mean or the first reason why there is none."""
    times = runs["step_s"]
    lost = [place for place, value in enumerate(times) if is_missing(value)]
    first = {name: values[lost[0] if lost else 0] for name, values in runs.items()}
    first.update(dict.fromkeys(NO_MEAN))
    first["step_s"] = None if lost or len(times) < parts else float(average(np.asarray(times, float)))
    if first["step_s"] is None and first["status"] == "ok":
        first.update(status="not_run", reason=PART_MISSING)
    return first


def first_s(runs: pd.DataFrame) -> pd.Series:
    """Return the seconds of each run's first epoch, or of its first step: of runs with compiler caches emptied."""
    epochs = runs["epoch_s"].map(lambda seconds: seconds[0] if isinstance(seconds, list) and seconds else None)
    epochs = epochs.astype(float)
    return epochs.where(runs["cache"] == "cold").fillna(first_step_s(runs).mask(epochs.notna()))


def whole_epoch_s(runs: pd.DataFrame) -> pd.Series:
    """Return the seconds of a later epoch, were it over all of its data set, each step as long as it was.

    An epoch over a stand-in or cut data has few steps. The extra cost of a first epoch must not be related to so few.
    """
    examples = runs["data"].map(_examples).astype(float)
    return runs["step_s"].astype(float) / runs["steps_per_epoch"].astype(float) * (examples // runs["batch_size"])


def whole_first_s(runs: pd.DataFrame) -> pd.Series:
    """Return the seconds of the first epoch, were it over all of its data set: what it took more is added as it is."""
    return whole_epoch_s(runs) + (first_s(runs) - runs["step_s"].astype(float))


def _examples(data: str) -> int | None:
    """Return how many examples a data set trains on, whatever was cut of it; None of a random batch."""
    name = read_data(data).name
    return None if name == "random" else int(dataset.definition(name).EXAMPLES[0])


def first_step_s(runs: pd.DataFrame) -> pd.Series:
    """Return the seconds of each run's first step, of runs with compiler caches emptied; it is in the first epoch."""
    return runs["first_step_s"].astype(float).where(runs["cache"] == "cold")


def first_to_later(runs: pd.DataFrame) -> pd.Series:
    """Return how many times as long as a later one the first epoch would take over all of its data set."""
    is_only = runs["epoch_s"].map(lambda seconds: isinstance(seconds, list) and len(seconds) == 1).astype(bool)
    return whole_first_s(runs).mask(is_only) / whole_epoch_s(runs)


def last_loss(runs: pd.DataFrame) -> pd.Series:
    """Return the mean loss of each run's last epoch, of those that tell each step's."""
    return pd.Series([_last(*each) for each in zip(runs["losses"], runs["steps_per_epoch"], strict=True)], runs.index)


def _last(losses: Any, steps: Any) -> float | None:
    is_told = isinstance(losses, list) and not is_missing(steps) and len(losses) >= steps
    return float(np.mean(losses[-int(steps) :])) if is_told else None


def memory_bytes(runs: pd.DataFrame) -> pd.Series:
    """Return each run's peak of memory: the device's where there is one, else the process's."""
    return runs["peak_device_memory_bytes"].astype(float).fillna(runs["peak_host_memory_bytes"].astype(float))


def final_score(runs: pd.DataFrame) -> pd.Series:
    """Return each run's score on the test set after its last epoch."""
    return runs["test_scores"].map(lambda scores: scores[-1] if isinstance(scores, list) and scores else None)
