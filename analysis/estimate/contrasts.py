"""Measured cells beside each other that differ in one thing alone, and two such contrasts within an environment.

These are compiling against not compiling, and the framework's loop against one by hand. When modes are compared, both
run the framework's own training loop, or neither does. A run that compiled nothing, although a compiler was requested,
says nothing about compiling.
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
from analysis.groups import grouped
from analysis.load.table import Results, recall
from analysis.stats import interval
from bench import ablations, registry
from bench.compiling import NOTHING

VARIANT = "variant"  # what an ablation changes of a mode
AS_DOCUMENTED = "none"
NAMES = (*Question._fields, "environment", "mode", "compiles", VARIANT)  # coordinates
COMPILES = {True: "yes", False: "no", None: "unknown"}

Words = Mapping[str, Sequence[str]]  # a coordinate, and the values that it may have
EVERYTHING: Words = {}


class Place(NamedTuple):
    """A measured cell with the answers that it belongs to."""

    answer: Estimates
    cell: Cell
    about: Mapping[str, str] = {}  # its coordinates

    def times(self, results: Results, measure: Measure = step_s) -> dict[int, float]:
        """Return what a measure says of this competitor, by round."""
        return aggregate.by_round(results.runs, self.answer.question, self.cell.row, measure)


def places(answers: Sequence[Estimates], where: Words = EVERYTHING) -> list[Place]:
    """Return the measured cells of answers that some words are about; most words are about few questions."""
    asked = (answer for answer in answers if is_among(_of_question(answer.question), where))
    found = (Place(answer, cell, _about(answer.question, cell)) for answer in asked for cell in answer.measured)
    return [place for place in found if is_among(place.about, where)]


def _of_question(question: Question) -> Mapping[str, str]:
    return {name: str(value) for name, value in question._asdict().items()}


def _about(question: Question, cell: Cell) -> Mapping[str, str]:
    mode, changed = (ablations.fed if question.task == ablations.FEEDING else ablations.split)(cell.row[1])
    compiles = NOTHING if cell.compiled == NOTHING else COMPILES[cell.compiles]
    of_cell = {"environment": cell.row[0], "mode": mode, "compiles": compiles, VARIANT: changed or AS_DOCUMENTED}
    return {**_of_question(question), **of_cell}


def is_among(about: Mapping[str, str], words: Words) -> bool:
    """Say whether each coordinate has one of the values that some words name."""
    return all(about[name] in values for name, values in words.items() if name in about)


def pairs(chosen: Sequence[Place], left: Words, right: Words, where: Words = EVERYTHING) -> list[tuple[Place, Place]]:
    """Return each place of the left side with each of the right that equals it in everything that is not contrasted.

    `where` are the words that the places were chosen by: if they name no mode, both sides are documented defaults.
    """
    contrasted = {*left, *right} & {*NAMES}
    has_mode, is_varied = ({*contrasted, *where} & names for names in ({"mode", "compiles"}, {VARIANT}))
    free = {"compiles", *contrasted} if VARIANT in contrasted else {"mode", "compiles", *contrasted}
    same = [name for name in NAMES if name not in free]

    def are_compared(one: Place, other: Place) -> bool:
        if all(one.about[name] == other.about[name] for name in contrasted):
            return False
        if is_varied:
            return True  # both are in documented modes, or in one mode
        if has_mode:
            return "environment" in contrasted or own_loop(one.cell) is own_loop(other.cell)
        is_one_competitor = "task" in contrasted and one.cell.row == other.cell.row
        return is_one_competitor or (one.cell.is_default and other.cell.is_default)

    def key(place: Place) -> tuple[str, ...]:
        return tuple(place.about[name] for name in same)

    rivals = grouped((place for place in chosen if is_among(place.about, right)), key)
    return [(place, rival) for place in chosen if is_among(place.about, left)
            for rival in rivals.get(key(place), ()) if are_compared(place, rival)]  # fmt: skip


class Contrast(NamedTuple):
    """Two cells of one environment; `ratio` is left / right."""

    left: Place
    right: Place
    ratio: interval.Interval

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
    order = {name: number for number, name in enumerate(registry.workload_names())}

    def key(contrast: Contrast) -> tuple[object, ...]:
        about, (environment, mode) = contrast.question, contrast.left.cell.row
        place = order.get(about.workload, len(order))
        return about.machine, place, about, environment, mode, contrast.right.cell.row[1]

    both = pairs(places(answers), {"compiles": ["no"]}, {"compiles": ["yes"]})
    times = ((left, right, interval.paired(left.times(results), right.times(results))) for left, right in both)
    return sorted((Contrast(left, right, interval.mean(ratios)) for left, right, ratios in times if ratios), key=key)


def with_known_compiler(results: Results) -> Results:
    """Return only the runs of which it is known whether a compiler made their program."""

    def known(runs: pd.DataFrame) -> pd.DataFrame:
        return runs[runs["compiles"].notna() & (runs["compiled"] != NOTHING)]

    return results._replace(runs=recall(results.runs, "with known compiler", known))


def loop_contrasts(results: Results, answers: Sequence[Estimates]) -> Iterator[Contrast]:
    """Yield each environment whose own loop and hand-written loop share rounds: the former's epoch over the latter's.

    Both are in one mode, or each is in the documented mode of its loop.
    """
    campaign_of = aggregate.campaign_of(results.runs)
    for left, right in pairs(places(answers), {"task": ["fit"]}, {"task": ["epochs"]}):
        times, others = left.times(results), right.times(results)
        if times.keys() & others.keys():
            yield Contrast(left, right, drift.of_shared_rounds(times, others, campaign_of, None).interval)


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
