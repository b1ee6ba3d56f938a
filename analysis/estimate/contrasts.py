"""Contrasts within an environment: what one mode costs against another of it, paired within rounds.

A contrast changes one thing: two steps of the framework's own training loop are compared, or two by hand. A run of
which nothing was compiled, though a compiler was asked, says nothing about compiling.
"""

import functools
from collections import Counter
from collections.abc import Hashable, Iterator
from itertools import product
from typing import Any, NamedTuple

from analysis import units
from analysis.estimate.estimates import Question
from analysis.load.table import QUESTION, Results
from analysis.stats import interval
from analysis.stats.interval import Interval
from bench import registry
from bench.compiling import NOTHING

Group = tuple[Any, ...]  # machine, question and environment


class Side(NamedTuple):
    """The runs of one mode that have a time and the column asked for: its value by round, and of each run."""

    mode: str
    title: str
    by_round: dict[int, float]
    values: list[float]


class Contrast(NamedTuple):
    """One question, one environment, two of its modes; ratios are plain / compiling of the column asked for."""

    question: Question
    environment: str
    plain: Side  # the mode without a compiler
    compiling: Side
    ratios: list[float]  # of each round that has both

    @property
    def title(self) -> str:
        """What the environment is called."""
        return self.plain.title

    @property
    def ratio(self) -> Interval:
        """The ratios' geometric mean and interval."""
        return interval.mean(self.ratios)

    @property
    def key(self) -> Hashable:
        """What is contrasted, whatever the column."""
        return self.question, self.environment, self.plain.mode, self.compiling.mode

    @property
    def modes(self) -> str:
        """The two modes, the plain one first."""
        return f"{self.plain.mode} / {self.compiling.mode}"


def compiling_contrasts(results: Results, column: str) -> list[Contrast]:
    """Return each pair of a plain and a compiling mode of one environment on one question that share a round.

    Both make their steps alike, by the framework's own loop or by hand.
    """
    found = (each for group, sides in sorted(_sides(results, column).items()) for each in _within(group, sides))
    places = {name: place for place, name in enumerate(registry.workload_names())}  # the lightest first

    def place(contrast: Contrast) -> tuple[str, int]:
        return contrast.question.machine, places.get(contrast.question.workload, len(places))

    return sorted(found, key=place)


def _sides(results: Results, column: str) -> dict[Group, dict[tuple[bool, str], Side]]:
    """Return each environment's modes on each question, by whether they compile and their name."""
    names = ["machine", *QUESTION, "environment", "compiles", "mode", "title", "round", column]
    is_evidence = results.runs["step_s"].notna() & (results.runs["compiled"] != NOTHING)
    runs = results.runs.loc[is_evidence, names].dropna(subset=["compiles", column])
    found: dict[Group, dict[tuple[bool, str], Side]] = {}
    for run in zip(*(runs[name].tolist() for name in names), strict=True):
        *group, compiles, mode, title, number, value = run
        modes = found.setdefault(tuple(group), {})
        side = modes.setdefault((bool(compiles), mode), Side(mode, title, {}, []))
        side.by_round[int(number)] = float(value)
        side.values.append(float(value))
    return found


def _within(group: Group, sides: dict[tuple[bool, str], Side]) -> Iterator[Contrast]:
    ordered = sorted(sides.items())
    plain, compiling = ([side for (compiles, _), side in ordered if compiles is kind] for kind in (False, True))
    *about, environment = group
    own = own_loops(environment)
    for before, after in product(plain, compiling):
        is_like = own.get(before.mode) is own.get(after.mode)
        ratios = interval.paired(before.by_round, after.by_round) if is_like else []
        if ratios:
            yield Contrast(Question(*about), environment, before, after, ratios)


@functools.cache
def own_loops(environment: str) -> dict[str, bool | None]:
    """Return whether steps of an environment's modes are the framework's own loop's; None of those that do both.

    Modes that nobody knows here any more were never in one round with today's.
    """
    known = registry.environments().get(environment)
    return {mode.name: mode.own_loop for mode in known.modes} if known else {}


def left_out(results: Results) -> str:
    """Return a sentence about what was to be compiled and was not, which no contrast holds; nothing where all was."""
    runs = results.runs[(results.runs["compiled"] == NOTHING) & results.runs["step_s"].notna()]
    rows = runs[["title", "mode", "workload"]].drop_duplicates().itertuples(index=False)
    counts = Counter(f"{title} ({mode})" for title, mode, _ in rows)
    named = units.listing(f"{name} on {units.count(number, 'workload')}" for name, number in counts.items())
    return f" Left out, as nothing was compiled there: {named}." if named else ""
