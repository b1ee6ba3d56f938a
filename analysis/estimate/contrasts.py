"""Ratios of measured cells that differ in one thing alone, and their standard errors.

If the two share no question or no campaign, the error includes what campaigns differ by. Two contrasts are within an
environment: compiling against not compiling, and the framework's loop against one by hand. When modes are compared,
both run the framework's own training loop, or neither does. A run that compiled nothing, although a compiler was
requested, says nothing about compiling.
"""

import functools
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from analysis import units
from analysis.estimate import aggregate
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question
from analysis.groups import grouped
from analysis.load.table import Results, recall
from analysis.stats import interval, moments, shared_variance
from analysis.stats.shared_variance import LEAST, Between, Shared
from bench import ablations, registry
from bench.compiling import NOTHING

VARIANT = "variant"  # what an ablation changes of a mode
AS_DOCUMENTED = "none"
NAMES = (*Question._fields, "environment", "mode", "compiles", VARIANT)  # coordinates
COMPILES = {True: "yes", False: "no", None: "unknown"}

Words = Mapping[str, Sequence[str]]  # a coordinate, and the values that it may have
EVERYTHING: Words = {}
ONE, OTHER = ("one", ""), ("other", "")
FEWEST_CAMPAIGNS = 3  # that tell how far the campaigns of a machine differ

Times = Mapping[int, float]  # by round
Drifts = Mapping[tuple[str, int], Shared]  # of single times between campaigns, by machine and number of threads


class Place(NamedTuple):
    """A measured cell with the answers that it belongs to."""

    answer: Estimates
    cell: Cell
    about: Mapping[str, str] = {}  # its coordinates

    def times(self, results: Results, measure: aggregate.Measure = aggregate.step_s) -> dict[int, float]:
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
            yield Contrast(left, right, of_shared_rounds(times, others, campaign_of, None).interval)


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


class Ratio(NamedTuple):
    """A ratio of two geometric means, with the standard error of its logarithm (None below three rounds)."""

    interval: interval.Interval
    error: float | None
    freedom: float  # degrees of freedom of the error


def of_shared_rounds(times: Times, others: Times, campaign_of: Mapping[int, Any], shared: Shared | None) -> Ratio:
    """Return times / others over the rounds that have both.

    `shared` has the variance between campaigns of such ratios; None estimates it from these rounds alone.
    """
    both = sorted(set(times) & set(others))
    sides = {ONE: {number: others[number] for number in both}, OTHER: {number: times[number] for number in both}}
    found = moments.of_pairs(sides, campaign_of, {ONE: True, OTHER: True})
    errors, freedom = shared_variance.errors(found, shared_variance.fit([found]) if shared is None else shared)
    return _ratio(float(found.centre[0]), float(errors[0]), float(freedom[0]), len(both))


def of_separate_rounds(times: Times, others: Times, campaign_of: Mapping[int, Any], shared: Sequence[Shared]) -> Ratio:
    """Return times / others, which share no round; `shared` has each side's variance between campaigns."""
    sides = [moments.of_times({ONE: own}, campaign_of, {ONE: True}) for own in (times, others)]
    parts = [shared_variance.errors(each, own) for each, own in zip(sides, shared, strict=True)]
    centre = float(sides[0].centre[0] - sides[1].centre[0])
    error, freedom = interval.error_of_sum([(float(error[0]) ** 2, float(own[0])) for error, own in parts])
    return _ratio(centre, error, freedom, min(len(times), len(others)))


def of_two_campaigns(times: Sequence[float], others: Sequence[float], drifts: Sequence[Between]) -> Ratio:
    """Return times / others, each of one campaign; `drifts` says how far campaigns of each side's machine differ.

    The interval is never narrower than that of the rounds alone.
    """
    value, rounds = interval.geometric_mean(times) / interval.geometric_mean(others), min(len(times), len(others))
    if rounds < interval.MIN_ROUNDS:
        return _ratio(math.log(value), math.nan, 1.0, rounds)
    welch, freedom = interval.error_of_independent(times, others)
    parts = [(welch**2, freedom), *((each.variance, each.freedom) for each in drifts)]
    found = [_ratio(math.log(value), *interval.error_of_sum(own), rounds) for own in (parts, parts[:1])]
    return max(found, key=lambda each: each.interval.half_width or 0.0)


def p_value(ratio: Ratio) -> float:
    """Return the two-sided p-value of "the ratio, in the direction seen, is at most 1.01"."""
    excess = abs(math.log(ratio.interval.value)) - math.log(interval.FASTER)
    return interval.p_of(excess, ratio.error, ratio.freedom)


def between_campaigns(answers: Sequence[Estimates]) -> Drifts:
    """Return how far campaigns of each machine differ, as the estimates of single times know it."""
    known = {(each.question.machine, each.question.threads): each.shared.times for each in answers}
    return {key: own for key, own in known.items() if own.between and own.most >= FEWEST_CAMPAIGNS - 1}


def drift_of(drifts: Drifts, machine: str, threads: int, workload: str, in_turns: bool) -> Between:
    """Return a machine's own drift; if fewer than three campaigns tell, the largest common one of other machines."""
    if own := drifts.get((machine, threads)):
        found = own.apart(workload, in_turns)
        return found._replace(freedom=min(found.freedom, own.most))
    common = (each.apart("", in_turns).variance for each in drifts.values())
    return Between(max(common, default=0.0), LEAST)


def _ratio(centre: float, error: float, freedom: float, rounds: int) -> Ratio:
    known = None if math.isnan(error) else error
    return Ratio(interval.of_error(centre, known, freedom, rounds), known, freedom)
