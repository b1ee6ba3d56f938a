"""Compare the first losses of a round's competitors, which share weights and batch, to find wrong computations.

Parity is proven with a small batch. A program that skips examples of a larger batch, or reads wrong labels, has another
first loss. The majority decides: frameworks first, because environments of one framework share its files; otherwise
environments, then modes. Used before lines are written (bench/campaign/rounds.py) and when they are read
(bench/results/plausible.py).
"""

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from bench import ablations, oracle, registry
from bench.cases import STEPS, Case
from bench.proof import parity
from bench.results.lines import Epochs, Run

# Relative. In all published rounds of 17 workloads without dropout, first losses differed by at most 1.9e-6.
SAME = dict(parity.OUTPUTS_ON_DEVICE, fp32=1e-5)
STATEMENT = "the statement in NumPy"
FEW = 3  # environments: below this, the NumPy statement also votes


class Number(NamedTuple):
    """A number that a run must share with its rivals, by a field of its line."""

    field: str
    called: str
    scale: str  # the field that tolerances are relative to


LOSS = Number("loss_first", "first loss", "loss_first")
TRAINED = (LOSS,)
DROPPED_OUT = (
    Number("loss_without_dropout", "loss without dropout", "loss_without_dropout"),
    Number("loss_of_biases", "loss of biases alone", "loss_of_biases"),
)
INFERRED = (
    Number("loss_first", "sum of outputs", "size_of_outputs"),
    Number("size_of_outputs", "sum of the outputs' sizes", "size_of_outputs"),
)


class Given(NamedTuple):
    """One number and the run that it comes from."""

    place: int  # index of its run
    case: Case
    value: float
    scale: float


@functools.cache
def _framework(environment: str) -> str:
    known = registry.environments()
    return known[environment].framework if environment in known else environment


LEVELS: tuple[Callable[[Case], str], ...] = (
    lambda case: _framework(case.environment), lambda case: case.environment, lambda case: case.mode,
)  # fmt: skip


@functools.cache
def _changed(mode: str) -> str:
    """Return the parts of a mode that change what is computed; an unknown ablation counts as a change."""
    known = ablations.names()
    parts = ablations.parts(ablations.split(mode)[1])
    return ablations.SIGN.join(each for each in parts if each not in known or not ablations.statement(each).IS_SAME)


@functools.cache
def _numbers(workload: str, task: str) -> Sequence[Number]:
    """Return what competitors must share; nothing if the workload is unknown."""
    if task == "infer":
        return INFERRED
    if not registry.has_workload(workload):
        return ()
    return DROPPED_OUT if registry.workload(workload).DROPOUT else TRAINED


def odd(runs: Sequence[Run | Epochs], asks_statement: bool = False) -> dict[int, str]:
    """Return {index: reason} of the runs that computed something other than most of their rivals.

    Runs without a time, over data sets or fed by a loader are not compared. With `asks_statement`, the NumPy statement
    is added if fewer than FEW environments have run. Otherwise, if only two runs differ, both are odd.
    """
    groups: dict[Any, list[int]] = {}
    for place, run in enumerate(runs):
        if run.status == "ok" and run.case.task in STEPS:
            key = run.case.question, _changed(run.case.mode), run.round, run.seed
            groups.setdefault(key, []).append(place)
    found: dict[int, str] = {}
    for places in groups.values():
        first = runs[places[0]].case
        for number in _numbers(first.workload, first.task):
            given = list(_given(runs, places, number))
            if asks_statement and 0 < len({each.case.environment for each in given}) < FEW:
                given += _stated(runs[given[0].place], number)
            for place, why in _odd_ones(given, number):
                found.setdefault(place, why)
    return found


def _given(runs: Sequence[Run | Epochs], places: Sequence[int], number: Number) -> Iterator[Given]:
    for place in places:
        value, scale = (getattr(runs[place], name, None) for name in (number.field, number.scale))
        if value is not None and scale is not None:
            yield Given(place, runs[place].case, value, abs(scale))


def _stated(run: Run | Epochs, number: Number) -> list[Given]:
    """Return the NumPy statement's loss at the measured batch size; empty if it has none or is too slow."""
    if number.field not in ("loss_first", "loss_without_dropout") or run.case.task == "infer":
        return []
    if _changed(run.case.mode):
        return []
    problem = registry.workload(run.case.workload)
    weights = problem.weights(np.random.RandomState(0))
    batch = problem.batch(np.random.RandomState(run.seed), run.case.batch_size)
    loss = oracle.loss(run.case.workload, weights, batch)
    case = run.case._replace(environment=STATEMENT, mode="float64")
    return [] if loss is None else [Given(-1, case, loss, abs(loss))]


def _odd_ones(given: list[Given], number: Number) -> Iterator[Any]:
    """Yield (index, reason) of each run that most others disagree with."""
    by_value = sorted(given, key=lambda number: number.value)
    if not given or _agree(by_value[0], by_value[-1]):
        return  # the usual case
    level = next((each for each in LEVELS if len({each(one.case) for one in given}) > 1), id)
    for own in given:
        others = {level(each.case) for each in given} - {level(own.case)}
        agreeing = {level(each.case) for each in given if _agree(own, each)} & others
        if own.place >= 0 and not _is_backed(own, given, agreeing, others):
            yield own.place, _why(own, given, number)


def _is_backed(own: Given, given: list[Given], agreeing: set[Any], others: set[Any]) -> bool:
    """Return whether most runs agree with a number; if the statement votes, whether the statement agrees."""
    stated = [each for each in given if each.place < 0]
    return _agree(own, stated[0]) if stated else 2 * (len(agreeing) + 1) > len(others) + 1


def _agree(one: Given, other: Given) -> bool:
    return abs(one.value - other.value) <= SAME[one.case.precision] * max(one.scale, other.scale)


def _why(own: Given, given: list[Given], number: Number) -> str:
    other = max((each for each in given if not _agree(own, each)), key=lambda each: (each.place < 0, -each.place))
    differs = "its %s at the measured batch size, %.9g, differs from that of %s in %s, %.9g" % (
        number.called, own.value, other.case.environment, other.case.mode, other.value)  # fmt: skip
    return differs + ": are all examples of a batch used, with their labels?"
