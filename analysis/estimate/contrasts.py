"""Contrasts within an environment: compiling against not compiling, and the framework's loop against one by hand.

A contrast changes one thing. When modes are compared, both run the framework's own training loop, or neither does. A
run that compiled nothing, although a compiler was requested, says nothing about compiling.
"""

import functools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from analysis import units
from analysis.estimate import aggregate, drift
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question
from analysis.estimate.measures import Measure, step_s
from analysis.groups import matched
from analysis.load.table import Results, recall
from analysis.stats import interval
from analysis.stats.interval import Interval
from bench import registry
from bench.compiling import NOTHING


class Place(NamedTuple):
    """A measured cell with the answers that it belongs to."""

    answer: Estimates
    cell: Cell
    about: Mapping[str, str] = {}  # coordinates that a claim chooses it by

    def times(self, results: Results, measure: Measure = step_s) -> dict[int, float]:
        """Return what a measure says of this competitor, by round."""
        return aggregate.by_round(results.runs, self.answer.question, self.cell.row, measure)


class Contrast(NamedTuple):
    """Two cells of one environment; `ratio` is left / right."""

    left: Place
    right: Place
    ratio: Interval

    @property
    def question(self) -> Question:
        """The question of the right side."""
        return self.right.answer.question

    @property
    def modes(self) -> str:
        """The modes of both sides, the left one first; one name if they are equal."""
        return " / ".join(dict.fromkeys([self.left.cell.row[1], self.right.cell.row[1]]))


def compiling_contrasts(results: Results, answers: Sequence[Estimates]) -> list[Contrast]:
    """Return each pair of a mode that does not compile and one that does, of one environment in shared rounds.

    Both run the framework's own loop, or neither does. They come by machine, the lightest workload first.
    """
    results = with_known_compiler(results)
    cells = [place for place in _places(answers) if place.cell.compiled != NOTHING]
    plain, compiling = ([place for place in cells if place.cell.compiles is compiles] for compiles in (False, True))

    def key(place: Place) -> tuple[object, ...]:
        return place.answer.question, place.cell.row[0], own_loop(place.cell)

    places = {name: place for place, name in enumerate(registry.workload_names())}

    def order(contrast: Contrast) -> tuple[object, ...]:
        about, environment = contrast.question, contrast.left.cell.row[0]
        modes = contrast.left.cell.row[1], contrast.right.cell.row[1]
        return about.machine, places.get(about.workload, len(places)), about, environment, modes

    times = ((left, right, interval.paired(left.times(results), right.times(results)))
             for left, right in matched(plain, compiling, key))  # fmt: skip
    return sorted((Contrast(left, right, interval.mean(ratios)) for left, right, ratios in times if ratios), key=order)


def with_known_compiler(results: Results) -> Results:
    """Return only the runs of which it is known whether a compiler made their program."""

    def known(runs: pd.DataFrame) -> pd.DataFrame:
        return runs[runs["compiles"].notna() & (runs["compiled"] != NOTHING)]

    return results._replace(runs=recall(results.runs, "with known compiler", known))


def loop_contrasts(results: Results, answers: Sequence[Estimates]) -> Iterator[Contrast]:
    """Yield each environment whose own loop and hand-written loop share rounds: the former's epoch over the latter's.

    Both are in one mode, or each is in the documented mode of its loop.
    """
    fit, by_hand = ([each for each in answers if each.question.task == task] for task in ("fit", "epochs"))

    def key(place: Place) -> tuple[object, ...]:
        return place.answer.question._replace(task="epochs"), place.cell.row[0]

    campaign_of = aggregate.campaign_of(results.runs)
    for left, right in matched(_places(fit), _places(by_hand), key):
        is_alike = left.cell.row == right.cell.row or (left.cell.is_default and right.cell.is_default)
        times, others = left.times(results), right.times(results)
        if is_alike and times.keys() & others.keys():
            yield Contrast(left, right, drift.of_shared_rounds(times, others, campaign_of, None).interval)


def _places(answers: Sequence[Estimates]) -> Iterator[Place]:
    return (Place(answer, cell) for answer in answers for cell in answer.measured)


def own_loop(cell: Cell) -> bool | None:
    """Return whether a cell's mode runs the framework's own loop; None if it runs both, or is not known any more."""
    return own_loops(cell.row[0]).get(cell.row[1])


@functools.cache
def own_loops(environment: str) -> Mapping[str, bool | None]:
    """Return, by mode of an environment, whether it runs the framework's own loop; None if it runs both."""
    known = registry.environments().get(environment)
    return {mode.name: mode.own_loop for mode in known.modes} if known else {}


def left_out(results: Results) -> str:
    """Return a sentence that names the modes that compiled nothing, although they should; empty if there are none."""
    runs = results.runs[(results.runs["compiled"] == NOTHING) & results.runs["step_s"].notna()]
    rows = runs[["title", "mode", "workload"]].drop_duplicates().itertuples(index=False)
    counts = Counter(f"{title} ({mode})" for title, mode, _ in rows)
    named = units.listing(f"{name} on {units.count(number, 'workload')}" for name, number in counts.items())
    return f" Left out, as nothing was compiled there: {named}." if named else ""
