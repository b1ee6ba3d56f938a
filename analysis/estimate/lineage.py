"""Versions of one software in the order of their years, and what lies between the first and the last of them."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, among, in_default_mode
from analysis.estimate.pairs import between
from analysis.groups import grouped
from analysis.releases import YEARS, released, year_of
from analysis.stats.interval import Interval
from bench import registry
from bench.cases import STEPS

VERSION = re.compile(r" \d[\d.]*")  # in a title: what is left of it names the software


class Version(NamedTuple):
    """A competitor with the month in which it was released, as "2017-11"."""

    cell: Cell
    time: Interval
    released: str

    @property
    def year(self) -> float:
        """The middle of that month, in years."""
        return year_of(self.released)


class Gain(NamedTuple):
    """Two versions of one software: `ratio` is the older one's time over the newer one's."""

    older: Version
    newer: Version
    ratio: Interval
    claim: str  # of the pair: "faster", "equivalent" or "unresolved"


def software(title: str) -> str:
    """Return what an environment's title names beside versions: "Keras on TensorFlow"."""
    return VERSION.sub("", title)


def versions(answer: Estimates) -> list[Version]:
    """Return the competitors that have a time and a known month of release, the oldest first."""
    months = released()
    known = [Version(cell, cell.time, months[cell.row[0]]) for cell in answer.cells
             if cell.time and cell.row[0] in months]  # fmt: skip
    return sorted(known, key=lambda each: (each.released, each.cell.title, each.cell.row))


def of_today(answer: Estimates) -> Estimates:
    """Keep competitors in their default mode, and none that is years older than the newest that has a time."""
    months, known = released(), versions(answer)
    old = {name for name, month in months.items() if known and known[-1].year - year_of(month) >= YEARS}
    return among(answer, [cell for cell in answer.cells if cell.is_default and cell.row[0] not in old])


def of_then(known: Sequence[Version]) -> list[Version]:
    """Return of some versions in order those that are years older than the newest."""
    return [each for each in known if known[-1].year - each.year >= YEARS]


def with_history(answers: Sequence[Estimates]) -> dict[str, Estimates]:
    """Return, by workload, the question on one machine that most old versions answered, all in their default modes."""
    defaults = (in_default_mode(answer) for answer in answers if answer.question.task in STEPS)
    found = grouped((answer for answer in defaults if _weight(answer)[0]), lambda answer: answer.question.workload)
    return {name: max(found[name], key=_weight) for name in registry.workload_names() if name in found}


def _weight(answer: Estimates) -> tuple[int, int]:
    """Return how many versions are years older than the newest, and how many there are."""
    known = versions(answer)
    return len(of_then(known)), len(known)


def gains(answer: Estimates) -> list[Gain]:
    """Return what came between the oldest and the newest version of each software, years apart, in shared rounds."""
    by_software = grouped(versions(answer), lambda version: software(version.cell.title))
    ends = ((own[0], own[-1]) for own in by_software.values() if of_then(own))
    pairs = ((older, newer, between(answer.pairs, newer.cell.row, older.cell.row)) for older, newer in ends)
    return [Gain(older, newer, pair.ratio, pair.claim) for older, newer, pair in pairs if pair]
