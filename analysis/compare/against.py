"""Is a row faster or slower with another version of a package? What `nox -s bench -- --against` measured, in sentences.

tasks/against.py wrote variants.json: the rows with other versions, each with the row that it is compared with.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, estimate_all
from analysis.estimate.pairs import Pair, between
from analysis.load.table import Results
from analysis.stats import interval
from analysis.text import sentences
from bench.errors import DefinitionError


class Verdict(NamedTuple):
    """A row with another version beside the row, for one question and mode."""

    title: str  # of the row with the other version
    base: str  # title of the row
    question: str
    mode: str
    word: str  # "slower", "faster", "tie", "open" or "not measured"
    ratio: float | None  # time with the other version / time of the row
    low: float | None
    high: float | None
    rounds: int
    smallest: float | None  # the ratio that these rounds would have distinguished from 1
    reason: str  # why there is no ratio; empty otherwise

    def __str__(self) -> str:
        start = f"{self.question}, {self.mode}: {self.title}"
        if self.ratio is None:
            return f"{start} was not measured beside {self.base}: {self.reason}"
        bounds = "" if self.low is None else f" (99 % interval {self.low:.3f} to {self.high:.3f}, {self.rounds} rounds)"
        word = {"tie": "a tie", "open": "not yet decided, more rounds may (--budget 30m)"}.get(self.word, self.word)
        least = "" if self.smallest is None else f" These rounds would have found a change of {self.smallest - 1:.1%}."
        return f"{start} takes {self.ratio:.3f} times as long as {self.base}{bounds}: {word}.{least}"


def read(folder: Path) -> dict[str, dict[str, str]]:
    """Return {row with another version: its "base" and "title"}; raises DefinitionError if none was made."""
    file = folder / "variants.json"
    if not file.exists():
        raise DefinitionError(f"There is no {file}. Measure first: nox -s bench -- --against PACKAGE==VERSION.")
    known: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return known


def verdicts(results: Results, variants: Mapping[str, Mapping[str, str]]) -> list[Verdict]:
    """Return a verdict for each question, mode and row with another version."""
    return [verdict for answer in estimate_all(results) for verdict in _of_answer(answer, variants)]


def _of_answer(answer: Estimates, variants: Mapping[str, Mapping[str, str]]) -> Iterator[Verdict]:
    cells = {cell.row: cell for cell in answer.cells}
    for row, cell in cells.items():
        if about := variants.get(row[0]):
            beside = cells.get((about["base"], *row[1:]))
            pair = beside and between(answer.pairs, beside.row, row)
            yield _verdict(answer, cell, beside, pair, about["title"])


def _verdict(answer: Estimates, cell: Cell, base: Cell | None, pair: Pair | None, title: str) -> Verdict:
    asked = f"{units.workload_title(answer.question.workload)}, {sentences.question(answer.question)}"
    about = (title, base.title if base else "its row", asked, cell.row[1])
    if pair is None:
        lacking = [each.reason for each in (cell, base) if each and each.time is None and each.reason]
        return Verdict(*about, "not measured", None, None, None, 0, None, " ".join(lacking) or "no shared round.")
    slower = "slower" if pair.ratio.value > 1 else "faster"
    word = {"faster": slower, "equivalent": "tie", "unresolved": "open"}[pair.claim]
    known = pair.ratio
    return Verdict(*about, word, known.value, known.low, known.high, known.rounds, _smallest(pair), "")


def _smallest(pair: Pair) -> float | None:
    """Return the ratio whose interval, if it is as wide as this one, is just beyond the limit of a difference."""
    half = pair.ratio.half_width
    return None if half is None else interval.FASTER * (1 + half)
