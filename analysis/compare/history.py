"""Series of releases that were measured in the same rounds: the times, and the releases in which a time changed."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from analysis import series, units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question, estimate_all
from analysis.estimate.pairs import Pair, adjusted, between
from analysis.load.table import read_results
from analysis.series import Release, Series
from analysis.stats.interval import Interval
from analysis.text import sentences


class Point(NamedTuple):
    """A release of a series with its answer to one question."""

    release: Release
    cell: Cell
    older: Release | None  # the release before it which has a time
    change: Pair | None  # its time over that one's

    @property
    def is_changed(self) -> bool:
        """Whether its time differs significantly from that of the release before it."""
        return self.change is not None and self.change.claim == "faster"


class Track(NamedTuple):
    """The releases of a series that answered a question, the oldest first."""

    series: Series
    question: Question
    points: Sequence[Point]

    @property
    def timed(self) -> list[tuple[Point, Interval]]:
        """The releases with a time, and their times."""
        return [(point, point.cell.time) for point in self.points if point.cell.time]


class Change(NamedTuple):
    """A release in which a time changed significantly: `ratio` is its time over that of the release before."""

    question: Question
    newer: Release
    older: Release
    ratio: Interval

    def __str__(self) -> str:
        newer, title = self.newer.row, units.workload_title(self.question.workload)
        words = sentences.significant(self.ratio, self.ratio.value > 1)
        where = sentences.conditions(self.question)
        return f"{newer.title} ({newer.released}): {title} {words} than {self.older.version} ({where})"


def read(results: Path) -> list[Track]:
    """Return what a results folder holds of each series, by machine, workload and series."""
    folder = results / series.FOLDER.name
    if not any(folder.glob("*/*.jsonl")):
        return []
    every = series.read()
    return [track for answer in estimate_all(read_results(folder)) for track in tracks(answer, every)]


def tracks(answer: Estimates, every: Mapping[str, Series]) -> list[Track]:
    """Return the series that answered a question; claims are adjusted over all their neighbouring releases."""
    cells = {cell.row[0]: cell for cell in answer.cells if cell.is_default}
    found = [(own, [(each, cells[each.row.name]) for each in own.releases if each.row.name in cells])
             for own in every.values()]  # fmt: skip
    whole = [(own, points) for own, points in found if len(points) > 1]
    pairs = adjusted([pair for _, points in whole for pair in _neighbours(points, answer.pairs)])
    return [Track(own, answer.question, list(_points(points, pairs))) for own, points in whole]


def _neighbours(points: Sequence[tuple[Release, Cell]], pairs: Sequence[Pair]) -> list[Pair]:
    rows = [cell.row for _, cell in points if cell.time]
    known = (between(pairs, older, newer) for older, newer in itertools.pairwise(rows))
    return [pair for pair in known if pair]


def _points(points: Iterable[tuple[Release, Cell]], pairs: Sequence[Pair]) -> Iterator[Point]:
    older: tuple[Release, Cell] | None = None
    for release, cell in points:
        yield Point(release, cell, *((older[0], between(pairs, older[1].row, cell.row)) if older else (None, None)))
        older = (release, cell) if cell.time else older


def changes(every: Iterable[Track]) -> list[Change]:
    """Return the significant changes, the largest slow-down first and the largest speed-up last."""
    found = [Change(track.question, point.release, point.older, point.change.ratio)
             for track in every for point in track.points
             if point.older and point.change and point.is_changed]  # fmt: skip
    return sorted(found, key=lambda change: -change.ratio.value)


def text(every: Sequence[Track]) -> str:
    """Return the changes and what could not be measured, for the terminal."""
    if not every:
        return "No series of releases has been measured yet: nox -s versions"
    changed = changes(every)
    lines = [f"{units.count(len(changed), 'significant change')} between releases.", *map(str, changed)]
    lost = {(point.release.row.title, point.cell.reason) for track in every for point in track.points
            if point.cell.time is None}  # fmt: skip
    return "\n".join([*lines, *(f"Not measured: {title}: {reason}" for title, reason in sorted(lost, key=str))])
