"""A lesson is a hypothesis that can lose: one file here, judged by the data on every build.

The first line of its docstring is the hypothesis; `judge(results)` returns a Lesson. ORDER is its place.
"""

from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import NamedTuple

import pandas as pd

from analysis import plugins
from analysis.load.table import Results
from analysis.stats import interval
from analysis.stats.interval import FASTER, Interval

VERDICTS = ("holds", "fails", "undecided")


class Lesson(NamedTuple):
    """A judged hypothesis; every number in `claim` is computed."""

    title: str
    claim: str
    verdict: str  # one of VERDICTS
    evidence: pd.DataFrame  # columns are headings, cells are text
    reason: str | None = None  # why it is undecided


def verdict(ratio: Interval, adjusted_p: float = 0.0, above: float = FASTER) -> str:
    """Judge "the ratio is above `above`" by its 99 % interval, which must stay clear of it after adjustment."""
    if ratio.low is None or ratio.high is None or adjusted_p > 1 - interval.CONFIDENCE:
        return "undecided"
    if ratio.low > above:
        return "holds"
    return "fails" if ratio.high <= above else "undecided"


def verdicts(contrasts: Sequence[Sequence[float]]) -> list[str]:
    """Judge each contrast's ratios by round, adjusted for how many contrasts there are."""
    adjusted = interval.holm([interval.p_value_apart(ratios) for ratios in contrasts])
    return [verdict(interval.mean(ratios), p) for ratios, p in zip(contrasts, adjusted, strict=True)]


def verdict_of_all(verdicts: Iterable[str]) -> str:
    """Judge "in every contrast": it holds when all hold, fails when one fails."""
    known = list(verdicts)
    if "fails" in known:
        return "fails"
    return "holds" if known and all(each == "holds" for each in known) else "undecided"


def undecided(title: str, reason: str) -> Lesson:
    """Return a lesson on which the data say nothing."""
    return Lesson(title, "Not decided by the data at hand.", "undecided", pd.DataFrame(), reason)


def evidence(rows: Sequence[Sequence[str]], *columns: str) -> pd.DataFrame:
    """Return a table of text."""
    return pd.DataFrame([tuple(row) for row in rows], columns=list(columns))


def found() -> dict[str, ModuleType]:
    """Return every lesson's module by its name."""
    return plugins.modules(__name__)


def judge_all(results: Results) -> list[Lesson]:
    """Judge every lesson found here, in their order."""
    return [module.judge(results) for module in found().values()]
