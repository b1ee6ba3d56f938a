"""Is a row faster or slower with another version of a package? What `nox -s bench -- --against` measured, in sentences.

tasks/against.py wrote variants.json: the rows with other versions, each with the row that it is compared with.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from analysis import units
from analysis.estimate.cells import Cell
from analysis.estimate.estimates import Estimates, Question, estimate_all
from analysis.estimate.pairs import Pair, between
from analysis.load.table import Results
from analysis.stats import interval
from analysis.text import sentences
from bench.errors import DefinitionError

CAUSES = {"unproven": "parity fails", "failed": "its process fails"}  # status of a run -> cause, if it has another name


class Verdict(NamedTuple):
    """A row with another version beside the row, for one question and mode."""

    row: str  # with the other version
    title: str  # of it
    base: str  # title of the row
    about: Question | None  # None if the row could not be made
    mode: str
    word: str  # "slower", "faster", "tie", "open" or "not measured"
    ratio: float | None  # time with the other version / time of the row
    low: float | None
    high: float | None
    rounds: int
    smallest: float | None  # the ratio that these rounds would have distinguished from 1
    cause: str  # why there is no ratio: one of resolving.CAUSES, or the status of the run; empty otherwise
    reason: str  # the same in sentences

    def __str__(self) -> str:
        start = self.title
        if self.about:
            asked = f"{units.workload_title(self.about.workload)}, {sentences.question(self.about)}"
            start = f"{asked}, {self.mode}: {self.title}"
        if self.ratio is None:
            return f"{start} was not measured beside {self.base} ({self.cause}): {self.reason}"
        bounds = "" if self.low is None else f" (99 % interval {self.low:.3f} to {self.high:.3f}, {self.rounds} rounds)"
        word = {"tie": "a tie", "open": "not yet decided, more rounds may (--budget 30m)"}.get(self.word, self.word)
        least = "" if self.smallest is None else f" These rounds would have found a change of {self.smallest - 1:.1%}."
        return f"{start} takes {self.ratio:.3f} times as long as {self.base}{bounds}: {word}.{least}"

    @property
    def as_json(self) -> dict[str, Any]:
        """The fields, those of the question, and the whole as a sentence."""
        question = self.about._asdict() if self.about else {}
        return {**self._asdict(), "about": question, "sentence": str(self)}


def read(folder: Path) -> dict[str, dict[str, str]]:
    """Return {row with another version: what tasks/variants.py wrote of it}; raises DefinitionError without any."""
    file = folder / "variants.json"
    if not file.exists():
        raise DefinitionError(f"There is no {file}. Measure first: nox -s bench -- --against PACKAGE==VERSION.")
    known: dict[str, dict[str, str]] = json.loads(file.read_text(encoding="utf-8"))
    return known


def verdicts(results: Results, variants: Mapping[str, Mapping[str, str]]) -> list[Verdict]:
    """Return a verdict for each question, mode and row with another version, and for each row that was not made."""
    absent = [_unmeasured(row, about["title"], about["base_title"], None, "", about["cause"], about["reason"])
              for row, about in variants.items() if "cause" in about]  # fmt: skip
    measured = (verdict for answer in estimate_all(results) for verdict in _of_answer(answer, variants))
    return [*measured, *absent]


def _of_answer(answer: Estimates, variants: Mapping[str, Mapping[str, str]]) -> Iterator[Verdict]:
    cells = {cell.row: cell for cell in answer.cells}
    for row, cell in cells.items():
        if about := variants.get(row[0]):
            beside = cells.get((about["base"], *row[1:]))
            pair = beside and between(answer.pairs, beside.row, row)
            yield _verdict(answer.question, cell, beside, pair, about)


def _verdict(question: Question, cell: Cell, base: Cell | None, pair: Pair | None, about: Mapping[str, str]) -> Verdict:
    row, mode = cell.row[:2]
    names = (row, about["title"], about["base_title"], question, mode)
    if pair is None:
        lacking = [each for each in (cell, base) if each and each.time is None]
        cause = lacking[0].status if lacking else "no shared round"
        reasons = [each.reason.removeprefix(f"{each.status}: ") for each in lacking if each.reason]
        return _unmeasured(*names, CAUSES.get(cause, cause), " ".join(reasons) or "More rounds may help.")
    slower = "slower" if pair.ratio.value > 1 else "faster"
    word = {"faster": slower, "equivalent": "tie", "unresolved": "open"}[pair.claim]
    known = pair.ratio
    return Verdict(*names, word, known.value, known.low, known.high, known.rounds, _smallest(pair), "", "")


def _unmeasured(
    row: str, title: str, base: str, question: Question | None, mode: str, cause: str, reason: str
) -> Verdict:
    return Verdict(row, title, base, question, mode, "not measured", None, None, None, 0, None, cause, reason)


def _smallest(pair: Pair) -> float | None:
    """Return the ratio whose interval, if it is as wide as this one, is just beyond the limit of a difference."""
    half = pair.ratio.half_width
    return None if half is None else interval.FASTER * (1 + half)
