"""Judge pairs of programs by the ratio of their step times within rounds.

Limits and Student's t are those of a campaign (bench/campaign/estimates.py).
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bench.campaign.estimates import CLEAR, DIFFERENT, FEWEST, QUANTILES, SAME
from bench.results.records import lower_decile

Reply = Mapping[str, Any]  # `status`, `reason`, `error_tail`, and what bench/versus/inside measured or saw
MOST_ROUNDS = 200  # nobody measures more
NARROW = math.log(1.2)  # half-width of an interval that tells a reader how large a difference is


class Ratio(NamedTuple):
    """How much longer a step of one program takes than a step of the other: a ratio with its 99 % interval."""

    value: float
    low: float | None  # None: fewer than three rounds
    high: float | None
    rounds: int
    word: str  # "different", "tie", "open"
    more_rounds: int | None  # that would decide an open pair, if the spread stays; None: unknown


def step_s(reply: Reply) -> float:
    """Return the seconds of a step in one process: the 10 % quantile of its blocks."""
    return lower_decile(reply["block_s"]) / float(reply["steps_per_block"])


def mean_step_s(reply: Reply) -> float:
    """Return the mean over all blocks: longer than `step_s` if some steps stall, for example at the end of an epoch."""
    return statistics.fmean(reply["block_s"]) / float(reply["steps_per_block"])


def ratio(rounds: Sequence[Sequence[Reply]], one: int, other: int) -> Ratio:
    """Return the ratio of the times of program `one` to those of `other`, per example if all state examples."""
    logs = [math.log(_time(replies, one) / _time(replies, other)) for replies in rounds]
    middle, count = statistics.fmean(logs), len(logs)
    if count < FEWEST:
        return Ratio(math.exp(middle), None, None, count, "open", FEWEST - count)
    spread = statistics.stdev(logs)
    half = _half(spread, count)
    word = "different" if abs(middle) - half > DIFFERENT else "tie" if abs(middle) + half < SAME else "open"
    more = None if word != "open" else _more(abs(middle), spread, count)
    return Ratio(math.exp(middle), math.exp(middle - half), math.exp(middle + half), count, word, more)


def _time(replies: Sequence[Reply], place: int) -> float:
    """Return the seconds of a step, or of an example if all programs state how many a step has."""
    is_per_example = all(reply["examples_per_step"] for reply in replies)
    return step_s(replies[place]) / (float(replies[place]["examples_per_step"]) if is_per_example else 1.0)


def _half(spread: float, count: int) -> float:
    return QUANTILES[min(count - 1, len(QUANTILES)) - 1] * spread / math.sqrt(count)


def _more(off: float, spread: float, count: int) -> int | None:
    """Return how many more rounds would decide a pair whose ratio and spread stay as they are."""
    needed = max(off - DIFFERENT, SAME - off)
    totals = range(count + 1, count + MOST_ROUNDS)
    return next((total - count for total in totals if _half(spread, total) < needed), None)


def pairs(rounds: Sequence[Sequence[Reply]]) -> list[tuple[int, int]]:
    """Return (slower, fastest) for each program except the fastest, the slowest last."""
    places = range(len(rounds[0]))
    order = sorted(places, key=lambda place: statistics.median(_time(replies, place) for replies in rounds))
    return [(place, order[0]) for place in order[1:]]


def are_decided(rounds: Sequence[Sequence[Reply]]) -> bool:
    """Return whether no further round is needed: each pair is a tie or clearly different."""
    return all(_is_decided(rounds, *pair) for pair in pairs(rounds))


def _is_decided(rounds: Sequence[Sequence[Reply]], one: int, other: int) -> bool:
    """Return whether a pair needs no further round: a tie, or a difference that is clear and known well enough.

    A difference must be clear, because it is judged after every round.
    """
    found = ratio(rounds, one, other)
    if found.low is None or found.high is None:
        return False
    half = (math.log(found.high) - math.log(found.low)) / 2
    return found.word == "tie" or (half <= NARROW and abs(math.log(found.value)) - DIFFERENT >= CLEAR * half)
