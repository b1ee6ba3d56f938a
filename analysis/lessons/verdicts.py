"""Decide a claim: one ordered table of verdicts over the counts of its comparisons.

The Lessons page prints RULES, so the table that a reader sees is the one that decides.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from analysis.lessons.claim_test import EQUAL, HELD, LOST, OPEN, Effect

HOLDS, IN_PART = "true", "partly true"
FAILS, MOSTLY_CONTRARY = "false", "mostly false"
NO_DIFFERENCE = EQUAL
UNDECIDED, NOT_TESTED, NOT_MEASURED = "inconclusive", "not tested on a GPU", "not measured"


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
    """A verdict, its sign, when it applies in words, and the same as a function."""

    verdict: str
    sign: str
    words: str
    applies: Callable[[Counts], bool]


CONTRARY = "at least half of the comparisons are decided, and most of these are false"
RULES = (
    Rule(
        NOT_TESTED,
        "○",
        "the claim is about a GPU, and no comparison was made on a GPU",
        lambda counts: counts.lacks_gpu,
    ),
    Rule(NOT_MEASURED, "○", "no comparison was made", lambda counts: not counts.total),
    Rule(HOLDS, "✓", "every comparison is true", lambda counts: 0 < counts.confirmed == counts.total),
    Rule(IN_PART, "◐", "more comparisons are true than false", lambda counts: counts.confirmed > counts.contrary),
    Rule(FAILS, "✗", f"no comparison is true; {CONTRARY}", lambda counts: counts.is_contrary and not counts.confirmed),
    Rule(MOSTLY_CONTRARY, "◔", f"some comparisons are true; {CONTRARY}", lambda counts: counts.is_contrary),
    Rule(NO_DIFFERENCE, "=", f"most comparisons show {EQUAL}", lambda counts: 2 * counts.equivalent > counts.total),
    Rule(UNDECIDED, "?", "all other cases, such as as many true comparisons as false ones", lambda _: True),
)
VERDICTS = (
    HOLDS,
    IN_PART,
    FAILS,
    MOSTLY_CONTRARY,
    NO_DIFFERENCE,
    UNDECIDED,
    NOT_TESTED,
    NOT_MEASURED,
)  # as a summary lists them
FIRST = {HOLDS: HELD, IN_PART: HELD, FAILS: LOST, MOSTLY_CONTRARY: LOST, NO_DIFFERENCE: EQUAL, UNDECIDED: OPEN}
COMPARISONS = (
    (EQUAL, "the 99 % interval is within 5 % of 1; if the claim names a number, the next two rows come first"),
    (HELD, "interval and adjusted test are beyond the claimed number, on its side; without a number: beyond 1 %"),
    (LOST, "the same, on the other side"),
    (OPEN, "all other cases, and fewer than three rounds"),
)


def tally(counts: Counts, verdict: str) -> str:
    """Return in how many comparisons a claim is true, and what the others are, the most frequent first."""
    parts = {HELD: counts.confirmed, LOST: counts.contrary, EQUAL: counts.equivalent, OPEN: counts.inconclusive}
    first = FIRST.get(verdict)
    others = sorted((name for name in parts if parts[name] and name != first), key=lambda name: -parts[name])
    head = [f"{parts[first]} of {counts.total}"] if first else []
    return "; ".join([*head, *(f"{parts[name]} {name}" for name in others)])


def count(effects: Sequence[Effect]) -> Counts:
    """Count comparisons by what they came to."""
    found = [effect.verdict for effect in effects]
    return Counts(found.count(HELD), found.count(LOST), found.count(EQUAL), found.count(OPEN))


def decide(counts: Counts) -> str:
    """Return the verdict of the first rule that applies."""
    return next(rule.verdict for rule in RULES if rule.applies(counts))
