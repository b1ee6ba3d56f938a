"""Decide a claim: one ordered table of verdicts over the counts of its comparisons.

The Lessons page prints RULES, so the table that a reader sees is the one that decides.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from analysis.lessons.contrast import EQUAL, HELD, LOST, OPEN, Effect

HOLDS, IN_PART = "holds", "holds in part"
FAILS, MOSTLY_CONTRARY = "does not hold", "mostly contrary"
NO_DIFFERENCE = EQUAL
UNDECIDED, NOT_TESTED = "undecided", "not tested on a GPU"


class Counts(NamedTuple):
    """How many comparisons of a claim came out how."""

    confirmed: int
    contrary: int
    equivalent: int
    inconclusive: int
    lacks_gpu: bool = False  # whether the claim is about a GPU and no comparison was made on one

    @property
    def decided(self) -> int:
        """The number of comparisons that are not inconclusive."""
        return self.confirmed + self.contrary + self.equivalent

    @property
    def total(self) -> int:
        """The number of comparisons."""
        return self.decided + self.inconclusive

    @property
    def is_contrary(self) -> bool:
        """Whether at least half of the comparisons are decided, and most of these are contrary."""
        return 2 * self.decided >= self.total and 2 * self.contrary > self.decided


class Rule(NamedTuple):
    """A verdict, when it applies in words, and the same as a function."""

    verdict: str
    words: str
    applies: Callable[[Counts], bool]


CONTRARY = "at least half of the comparisons are decided, and most of these are contrary"
RULES = (
    Rule(NOT_TESTED, "the claim is about a GPU, and no comparison was made on a GPU", lambda counts: counts.lacks_gpu),
    Rule(HOLDS, "every comparison is as claimed", lambda counts: 0 < counts.confirmed == counts.total),
    Rule(IN_PART, "more comparisons are as claimed than contrary", lambda counts: counts.confirmed > counts.contrary),
    Rule(FAILS, f"none is as claimed; {CONTRARY}", lambda counts: counts.is_contrary and not counts.confirmed),
    Rule(MOSTLY_CONTRARY, f"some are as claimed; {CONTRARY}", lambda counts: counts.is_contrary),
    Rule(NO_DIFFERENCE, f"most comparisons show {EQUAL}", lambda counts: 2 * counts.equivalent > counts.total),
    Rule(UNDECIDED, "all else, such as many inconclusive comparisons, or as many contrary as claimed", lambda _: True),
)  # fmt: skip
VERDICTS = (HOLDS, IN_PART, FAILS, MOSTLY_CONTRARY, NO_DIFFERENCE, UNDECIDED, NOT_TESTED)  # as a summary lists them
COMPARISONS = (
    (EQUAL, "the 99 % interval is within 1/1.05 to 1.05; if the claim names a number, the next two rows come first"),
    (HELD, "interval and adjusted test are clear of the claimed number, on its side (without one, of 1.01 and 1/1.01)"),
    (LOST, "the same, on the other side"),
    (OPEN, "all else, and fewer than three rounds"),
)


def count(effects: Sequence[Effect], lacks_gpu: bool = False) -> Counts:
    """Count comparisons by what they came to."""
    found = [effect.verdict for effect in effects]
    return Counts(found.count(HELD), found.count(LOST), found.count(EQUAL), found.count(OPEN), lacks_gpu)


def decide(counts: Counts) -> str:
    """Return the verdict of the first rule that applies."""
    return next(rule.verdict for rule in RULES if rule.applies(counts))
