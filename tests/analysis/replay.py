"""How often a campaign contradicts the intervals that all other campaigns give.

A 99 % interval should be missed in 1 of 100 comparisons. A campaign and the others are two measurements of one ratio,
or of one time. The error of each comes from its own rounds and from the variance that other campaigns of its machine
show.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy import special

from analysis.estimate.estimates import Question
from analysis.groups import collected
from analysis.load.table import Times, by_row
from analysis.stats import Row, interval, moments, shared_variance
from analysis.stats.interval import CONFIDENCE

WITHIN = 0.95  # of the miss rate's own interval: narrower than 99 %, and so the harder test


class Asked(NamedTuple):
    """What a question's rounds hold."""

    workload: str
    times: Times
    campaign_of: Mapping[int, str]
    in_turns: Mapping[Row, bool]

    def only(self, which):
        """Return the times of some campaigns."""
        return {row: {number: time_s for number, time_s in own.items() if which(self.campaign_of[number])}
                for row, own in self.times.items()}  # fmt: skip


class Replayed(NamedTuple):
    """How often one campaign's ratios, or times, contradict those of the others."""

    machine: str
    threads: int
    what: str  # "ratios" or "times"
    campaigns: int
    compared: int
    missed: int
    low: float
    high: float

    @property
    def rate(self):
        """The share of comparisons that are missed."""
        return self.missed / self.compared

    @property
    def holds(self):
        """Say whether what 99 % intervals should miss is within the rate's interval."""
        return self.low <= 1 - CONFIDENCE <= self.high


def replay(results):
    """Return both for each machine and number of threads of which three campaigns or more can be compared."""
    asked = collected(_asked(results)).items()
    found = (_replayed(*key, what, own) for key, own in asked for what in ("ratios", "times"))
    return [each for each in found if each]


def _asked(results):
    """Yield what each question's rounds hold, with its machine and number of threads."""
    for key, runs in results.runs[results.runs["step_s"].notna()].groupby([*Question._fields], sort=True):
        question = Question(*key)
        rounds = dict(zip(runs["round"].astype(int).tolist(), runs["campaign"].tolist(), strict=True))
        rows = zip(runs["environment"].tolist(), runs["mode"].tolist(), runs["in_turns"].tolist(), strict=True)
        in_turns = {(environment, mode): turns for environment, mode, turns in rows}
        asked = Asked(question.workload, by_row(runs, runs["step_s"]), rounds, in_turns)
        yield (question.machine, int(question.threads)), asked


def _replayed(machine, threads, what, asked):
    names = sorted({name for each in asked for name in each.campaign_of.values()})
    outcomes = [_left_out(name, what, asked, len(names) - 1) for name in names]
    known = [each for each in outcomes if each]
    if len(known) < 2:
        return None
    missed = np.array([sum(each) for each in known], float)
    compared = np.array([len(each) for each in known], float)
    low, high = by_campaign(missed, compared)
    return Replayed(machine, threads, what, len(known), int(compared.sum()), int(missed.sum()), low, high)


def _left_out(name, what, asked, others):
    """Return whether each comparison of one campaign with the others misses."""
    of = moments.of_pairs if what == "ratios" else moments.of_times
    parts = [tuple(of(each.only(which), each.campaign_of, each.in_turns, each.workload)
                   for which in (name.__ne__, name.__eq__)) for each in asked]  # fmt: skip
    rest = [before for before, _ in parts]
    shared = shared_variance.fit(rest) if what == "ratios" else shared_variance.fit_alone(rest, others)
    if not shared.between:  # no two of the others measured the same: nothing is known of campaigns
        return []
    return [bool(hit) for before, after in parts for hit in _contradicts(before, after, shared)]


def _contradicts(before, after, shared):
    """Say of which pairs two sets of rounds contradict each other: those that both have an interval of."""
    places = {pair: place for place, pair in enumerate(before.pairs)}
    both = [(places[pair], place) for place, pair in enumerate(after.pairs) if pair in places]
    first, second = np.array(both, int).reshape(-1, 2).T
    (error, freedom), (other_error, other_freedom) = (shared_variance.errors(each, shared) for each in (before, after))
    parts = (error[first] ** 2, freedom[first]), (other_error[second] ** 2, other_freedom[second])
    variance = sum((part for part, _ in parts), np.zeros(len(both)))
    known = variance > 0
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = sum(part**2 / its_freedom for part, its_freedom in parts)
        half = interval.reach(variance**2 / shares) * np.sqrt(variance)
    return np.asarray(np.abs(before.centre[first] - after.centre[second]) > half)[known]


def by_campaign(missed, compared):
    """Return an interval of the miss rate, of which campaigns are the unit: comparisons of one share its hour.

    It is the t interval of a ratio of means; without a miss, the exact binomial one of as many campaigns.
    """
    count, rate = len(missed), float(missed.sum() / compared.sum())
    if not missed.any():
        return 0.0, 1 - ((1 - WITHIN) / 2) ** (1 / count)
    squares = float(((missed - rate * compared) ** 2).sum())
    off = float(special.stdtrit(count - 1, 0.5 + WITHIN / 2)) * math.sqrt(count / (count - 1) * squares)
    return max(rate - off / float(compared.sum()), 0.0), rate + off / float(compared.sum())
