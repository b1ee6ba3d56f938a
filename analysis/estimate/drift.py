"""Ratios of what shares no question or no campaign: their standard errors include what campaigns differ by."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from analysis.estimate.estimates import Estimates
from analysis.stats import interval, moments, shared_variance
from analysis.stats.shared_variance import LEAST, Between, Shared

ONE, OTHER = ("one", ""), ("other", "")
FEWEST_CAMPAIGNS = 3  # that tell how far the campaigns of a machine differ

Times = Mapping[int, float]  # by round


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


def between_campaigns(answers: Sequence[Estimates]) -> "Drifts":
    """Return how far campaigns of each machine differ, as the estimates of single times know it."""
    known = {(each.question.machine, each.question.threads): each.shared.times for each in answers}
    return Drifts({key: own for key, own in known.items() if own.between and own.most >= FEWEST_CAMPAIGNS - 1})


class Drifts(NamedTuple):
    """The variance of single times between campaigns, by machine and number of threads."""

    known: Mapping[tuple[str, int], Shared]

    def of(self, machine: str, threads: int, workload: str, in_turns: bool) -> Between:
        """Return a machine's own; where fewer than three campaigns tell, the largest common one of other machines."""
        if own := self.known.get((machine, threads)):
            found = own.apart(workload, in_turns)
            return found._replace(freedom=min(found.freedom, own.most))
        common = (each.apart("", in_turns).variance for each in self.known.values())
        return Between(max(common, default=0.0), LEAST)


def _ratio(centre: float, error: float, freedom: float, rounds: int) -> Ratio:
    known = None if math.isnan(error) else error
    return Ratio(interval.of_error(centre, known, freedom, rounds), known, freedom)
